import { describe, expect, it } from '@jest/globals';

import { completeAtMs, isTimeZone } from './period-end.ts';

const at = (text: string): number => Date.parse(text);

describe('isTimeZone', () => {
  it.each(['Europe/Berlin', 'UTC', '+03:00', '-0530'])('%s is one', (text) => {
    expect(isTimeZone(text)).toBe(true);
  });

  it.each(['Europe/Berln', 'three', '+3', ''])('%j is none', (text) => {
    expect(isTimeZone(text)).toBe(false);
  });
});

describe('completeAtMs', () => {
  it.each([
    ['UTC by default', '2026-11-01 00:00:00', undefined, '2026-11-01T00:10:00Z'],
    ['an offset', '2026-11-01 00:00:00', '+03:00', '2026-10-31T21:10:00Z'],
    ['an offset to the west', '2026-11-01 00:00:00', '-05:30', '2026-11-01T05:40:00Z'],
    ['a zone in winter', '2026-11-01 00:00:00', 'Europe/Berlin', '2026-10-31T23:10:00Z'],
    ['a zone in summer', '2026-07-01 00:00:00', 'Europe/Berlin', '2026-06-30T22:10:00Z'],
  ])('is ten minutes after the end: %s', (_, dateTo, timeZone, expected) => {
    expect(completeAtMs(dateTo, timeZone, at(expected) - 1)).toBe(at(expected));
    expect(completeAtMs(dateTo, timeZone, at(expected))).toBeUndefined();
  });
});
