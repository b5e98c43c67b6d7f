import { describe, expect, it } from '@jest/globals';

import { dayOf, endOf, monthOf } from './period.ts';

describe('monthOf', () => {
  it.each([
    ['2026-10', '2026-10-01 00:00:00', '2026-11-01 00:00:00'],
    ['2026-09', '2026-09-01 00:00:00', '2026-10-01 00:00:00'],
    ['2026-12', '2026-12-01 00:00:00', '2027-01-01 00:00:00'],
  ])('%s is from midnight to midnight', (month, dateFrom, dateTo) => {
    expect(monthOf(month)).toEqual({ dateFrom, dateTo });
  });

  it.each(['2026-13', '2026-00', '2026-1', '26-10', '2026-10-01', 'october'])('%s is none', (text) => {
    expect(monthOf(text)).toBeUndefined();
  });
});

describe('dayOf', () => {
  it.each([
    ['2026-10-05', '2026-10-05 00:00:00', '2026-10-06 00:00:00'],
    ['2026-12-31', '2026-12-31 00:00:00', '2027-01-01 00:00:00'],
    ['2028-02-28', '2028-02-28 00:00:00', '2028-02-29 00:00:00'],
  ])('%s is from midnight to midnight', (day, dateFrom, dateTo) => {
    expect(dayOf(day)).toEqual({ dateFrom, dateTo });
  });

  it.each(['2026-02-30', '2026-13-01', '2026-10', 'today'])('%s is none', (text) => {
    expect(dayOf(text)).toBeUndefined();
  });
});

describe('endOf', () => {
  it.each([
    ['2026-03-01', '2026-03-01 00:00:00'],
    ['2026-03-01T12:30:00', '2026-03-01 12:30:00'],
    ['2026-03-01 12:30:00', '2026-03-01 12:30:00'],
    ['yesterday', 'yesterday'],
  ])('%s is %s', (text, expected) => {
    expect(endOf(text)).toBe(expected);
  });
});
