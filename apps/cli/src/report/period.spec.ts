import { describe, expect, it } from '@jest/globals';

import { incompleteness, periodOf, type PeriodOptions, wholeDays } from './period.ts';

/** Half an hour before midnight in UTC at the end of a year: in Berlin the next year has begun. */
const NOW = Date.parse('2026-12-31T23:30:00Z');

describe('periodOf', () => {
  it.each<[PeriodOptions, string, string]>([
    [{ month: '2026-10' }, '2026-10-01 00:00:00', '2026-11-01 00:00:00'],
    [{ month: '2026-12' }, '2026-12-01 00:00:00', '2027-01-01 00:00:00'],
    [{ month: '2028-02' }, '2028-02-01 00:00:00', '2028-03-01 00:00:00'],
    [{ month: 'last' }, '2026-11-01 00:00:00', '2026-12-01 00:00:00'],
    [{ month: 'last', timeZone: 'Europe/Berlin' }, '2026-12-01 00:00:00', '2027-01-01 00:00:00'],
    [{ day: '2026-12-31' }, '2026-12-31 00:00:00', '2027-01-01 00:00:00'],
    [{ day: '2028-02-28' }, '2028-02-28 00:00:00', '2028-02-29 00:00:00'],
    [{ day: 'yesterday' }, '2026-12-30 00:00:00', '2026-12-31 00:00:00'],
    [{ day: 'yesterday', timeZone: '+03:00' }, '2026-12-31 00:00:00', '2027-01-01 00:00:00'],
    [{ day: 'yesterday', timeZone: '-0530' }, '2026-12-30 00:00:00', '2026-12-31 00:00:00'],
    [{ from: '2026-03-01', to: '2026-03-01T12:30:00' }, '2026-03-01 00:00:00', '2026-03-01 12:30:00'],
    [{ from: '2026-10-01', to: '2026-10-31' }, '2026-10-01 00:00:00', '2026-11-01 00:00:00'],
    [{ from: '2026-10-01', to: '2026-10-31 00:00:00' }, '2026-10-01 00:00:00', '2026-10-31 00:00:00'],
  ])('reads %j as %s to %s', (options, dateFrom, dateTo) => {
    expect(periodOf(options, NOW)).toEqual({ dateFrom, dateTo });
  });

  it.each<[PeriodOptions, RegExp]>([
    ...['2026-13', '2026-00', '2026-1', '26-10', '2026-10-01', 'october'].map(
      (month): [PeriodOptions, RegExp] => [{ month }, /^error: --month must be a month/],
    ),
    ...['2026-02-30', '2026-13-01', '2026-10', 'today'].map((day): [PeriodOptions, RegExp] => [
      { day },
      /^error: --day must be a day/,
    ]),
    ...['Europe/Berln', '+3', '+99:99', ''].map((timeZone): [PeriodOptions, RegExp] => [
      { day: 'yesterday', timeZone },
      /^error: --time-zone is a name such as/,
    ]),
    [{}, /give either/],
    [{ from: '2026-03-01' }, /give either/],
    [{ day: 'yesterday', to: '2026-03-01' }, /give either/],
    [{ day: 'yesterday', month: 'last' }, /give either/],
  ])('refuses %j', (options, reason) => {
    expect(() => periodOf(options, NOW)).toThrow(reason);
  });
});

it.each([
  ['2026-10-01 00:00:00', '2026-11-01 00:00:00', 'the days 2026-10-01 to 2026-10-31'],
  ['2026-12-31 00:00:00', '2027-01-01 00:00:00', 'the day 2026-12-31'],
  ['2026-10-01 00:00:00', '2026-11-01 00:00:01', undefined],
])('wholeDays names the days from %s to %s: %s', (dateFrom, dateTo, days) => {
  expect(wholeDays({ dateFrom, dateTo })).toBe(days);
});

it.each([
  ['2026-11-01 00:00:00', undefined, '2026-11-01T00:10:00Z'],
  ['2026-11-01 00:00:00', '+03:00', '2026-10-31T21:10:00Z'],
  ['2026-11-01 00:00:00', '-05:30', '2026-11-01T05:40:00Z'],
  ['2026-11-01 00:00:00', 'Europe/Berlin', '2026-10-31T23:10:00Z'],
  ['2026-07-01 00:00:00', 'Europe/Berlin', '2026-06-30T22:10:00Z'],
])('incompleteness ends ten minutes after %s in %s', (dateTo, timeZone, end) => {
  const at = (ms: number) => incompleteness({ dateFrom: '', dateTo }, Date.parse(end) + ms, timeZone);
  expect(at(0)).toBeUndefined();
  expect(at(-1)).toMatch(new RegExp(`^the period ended .* fetch it again after ${end}$`));
  expect(at(-600_001)).toMatch(new RegExp(`^the period has not ended.* fetch it again after ${end}$`));
});
