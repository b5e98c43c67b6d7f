import { describe, expect, it } from '@jest/globals';
import { dateOf, dayCount, dayPartAt, parseMoment, periodOf, toUtc } from './period.ts';

describe('moment', () => {
  it('is an existing date and time', () => {
    expect(parseMoment('2024-02-29 23:59:59')).toBe(Date.UTC(2024, 1, 29, 23, 59, 59));
    for (const text of [
      undefined,
      '',
      '2023-02-29 00:00:00',
      '2024-01-01 24:00:00',
      '2024-01-01',
      '2024-01-01T00:00:00',
    ])
      expect(parseMoment(text)).toBeUndefined();
  });
});

describe('period', () => {
  const parts = (from: string, to: string) => {
    const period = periodOf(parseMoment(from) as number, parseMoment(to) as number);
    return Array.from({ length: dayCount(period) }, (_, nth) => {
      const { day, steps } = dayPartAt(period, nth);
      return [dateOf(day), steps];
    });
  };

  it('from midnight to midnight is the first day', () => {
    expect(parts('2024-03-24 00:00:00', '2024-03-25 00:00:00')).toEqual([['2024-03-24', 144]]);
  });

  it('covers parts of the days at its ends', () => {
    expect(parts('2024-02-28 12:00:00', '2024-03-01 00:10:00')).toEqual([
      ['2024-02-28', 72],
      ['2024-02-29', 144],
      ['2024-03-01', 1],
    ]);
  });

  it('covers whole steps of ten minutes', () => {
    expect(parts('2024-03-24 00:09:59', '2024-03-24 00:19:59')).toEqual([['2024-03-24', 1]]);
    expect(parts('2024-03-24 00:11:00', '2024-03-24 00:19:59')).toEqual([]);
  });

  it('may be before 1970', () => {
    expect(parts('1969-12-31 00:00:00', '1970-01-01 00:00:00')).toEqual([['1969-12-31', 144]]);
  });
});

describe('time zone', () => {
  const utc = (wall: string, zone: string) => {
    const ms = toUtc(Date.parse(`${wall}Z`), zone);
    return typeof ms !== 'number' ? ms : new Date(ms).toISOString().slice(0, 16);
  };

  it.each([
    ['2024-03-24T00:00', '+03:00', '2024-03-23T21:00'],
    ['2024-03-24T00:00', '-0530', '2024-03-24T05:30'],
    ['2024-01-15T12:00', 'Europe/Berlin', '2024-01-15T11:00'],
    ['2024-07-15T12:00', 'Europe/Berlin', '2024-07-15T10:00'],
    ['2024-03-31T03:00', 'Europe/Berlin', '2024-03-31T01:00'],
    ['2024-03-31T01:59', 'Europe/Berlin', '2024-03-31T00:59'],
    ['2024-11-03T00:30', 'America/New_York', '2024-11-03T04:30'],
    ['2024-03-24T00:00', 'UTC', '2024-03-24T00:00'],
  ])('%s in %s is %s', (wall, zone, expected) => {
    expect(utc(wall, zone)).toBe(expected);
  });

  it('knows that a clock skips an hour in spring, and shows one twice in autumn', () => {
    expect(utc('2024-03-31T02:30', 'Europe/Berlin')).toBe('skipped');
    expect(utc('2024-10-27T02:30', 'Europe/Berlin')).toBe('2024-10-27T01:30');
  });

  it('does not know zones that do not exist', () => {
    for (const zone of ['Europe/Atlantis', '+3', '+15:00', '+03:60', 'x'])
      expect(utc('2024-01-01T00:00', zone)).toBeUndefined();
  });
});
