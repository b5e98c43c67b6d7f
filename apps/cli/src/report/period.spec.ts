import { describe, expect, it } from '@jest/globals';

import { completeness, dayOf, endOf, isTimeZone, monthOf } from './period.ts';

/** Half an hour before midnight in UTC at the end of a year: in Berlin the next year has begun. */
const NOW = Date.parse('2026-12-31T23:30:00Z');

describe('monthOf', () => {
  it.each([
    ['2026-10', 'UTC', '2026-10-01 00:00:00', '2026-11-01 00:00:00'],
    ['2026-12', 'UTC', '2026-12-01 00:00:00', '2027-01-01 00:00:00'],
    ['last', 'UTC', '2026-11-01 00:00:00', '2026-12-01 00:00:00'],
    ['last', 'Europe/Berlin', '2026-12-01 00:00:00', '2027-01-01 00:00:00'],
  ])('%s in %s is from midnight to midnight', (month, timeZone, dateFrom, dateTo) => {
    expect(monthOf(month, NOW, timeZone)).toEqual({ dateFrom, dateTo });
  });

  it.each(['2026-13', '2026-00', '2026-1', '26-10', '2026-10-01', 'october'])('refuses %s', (text) => {
    expect(monthOf(text, NOW, 'UTC')).toBeUndefined();
  });
});

describe('dayOf', () => {
  it.each([
    ['2026-12-31', 'UTC', '2026-12-31 00:00:00', '2027-01-01 00:00:00'],
    ['2028-02-28', 'UTC', '2028-02-28 00:00:00', '2028-02-29 00:00:00'],
    ['yesterday', 'UTC', '2026-12-30 00:00:00', '2026-12-31 00:00:00'],
    ['yesterday', '+03:00', '2026-12-31 00:00:00', '2027-01-01 00:00:00'],
  ])('%s in %s is from midnight to midnight', (day, timeZone, dateFrom, dateTo) => {
    expect(dayOf(day, NOW, timeZone)).toEqual({ dateFrom, dateTo });
  });

  it.each(['2026-02-30', '2026-13-01', '2026-10', 'today'])('refuses %s', (text) => {
    expect(dayOf(text, NOW, 'UTC')).toBeUndefined();
  });
});

describe('endOf', () => {
  it.each([
    ['2026-03-01', '2026-03-01 00:00:00'],
    ['2026-03-01T12:30:00', '2026-03-01 12:30:00'],
    ['2026-03-01 12:30:00', '2026-03-01 12:30:00'],
  ])('reads %s as %s', (text, expected) => {
    expect(endOf(text)).toBe(expected);
  });
});

describe('isTimeZone', () => {
  it.each([
    ['Europe/Berlin', true],
    ['UTC', true],
    ['+03:00', true],
    ['-0530', true],
    ['Europe/Berln', false],
    ['three', false],
    ['+3', false],
    ['+99:99', false],
    ['', false],
  ])('knows that %j is one: %s', (text, expected) => {
    expect(isTimeZone(text)).toBe(expected);
  });
});

describe('completeness', () => {
  it.each([
    ['2026-11-01 00:00:00', 'UTC', '2026-11-01T00:10:00Z'],
    ['2026-11-01 00:00:00', '+03:00', '2026-10-31T21:10:00Z'],
    ['2026-11-01 00:00:00', '-05:30', '2026-11-01T05:40:00Z'],
    ['2026-11-01 00:00:00', 'Europe/Berlin', '2026-10-31T23:10:00Z'],
    ['2026-07-01 00:00:00', 'Europe/Berlin', '2026-06-30T22:10:00Z'],
  ])('is reached ten minutes after %s in %s', (dateTo, timeZone, expected) => {
    const completeAtMs = Date.parse(expected);
    const at = (nowMs: number) => completeness({ dateFrom: '', dateTo }, timeZone, nowMs);
    expect(at(completeAtMs)).toBeUndefined();
    expect(at(completeAtMs - 1)).toEqual({ hasEnded: true, completeAtMs });
    expect(at(completeAtMs - 600_001)).toEqual({ hasEnded: false, completeAtMs });
  });
});
