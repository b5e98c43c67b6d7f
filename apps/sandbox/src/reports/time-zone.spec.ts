import { describe, expect, it } from '@jest/globals';
import { toUtc } from './time-zone.ts';

describe('time zone', () => {
  const utc = (wall: string, zone: string) => {
    const ms = toUtc(Date.parse(`${wall}Z`), zone);
    return ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 16);
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

  it('does not know zones that do not exist', () => {
    for (const zone of ['Europe/Atlantis', '+3', '+15:00', '+03:60', 'x'])
      expect(utc('2024-01-01T00:00', zone)).toBeUndefined();
  });
});
