import { describe, expect, it } from '@jest/globals';
import { dateOf, dayCount, dayPartAt, parseMoment, periodOf } from './period.ts';

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
