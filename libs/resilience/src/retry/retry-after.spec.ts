import { describe, expect, it } from '@jest/globals';

import { parseRetryAfter } from './retry-after.ts';

const NOW = Date.parse('2026-01-31T12:00:00Z');
const DAY_MS = 86_400_000;

describe('parseRetryAfter', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7000],
    ['Sat, 31 Jan 2026 12:00:30 GMT', 30_000],
    ['Saturday, 31-Jan-26 12:00:30 GMT', 30_000],
    ['Sat Jan 31 12:00:30 2026', 30_000],
    ['Sat, 31 Jan 2026 11:00:00 GMT', 0],
    ['99999999999999999999999', DAY_MS],
    ['Sun, 31 Jan 2027 12:00:00 GMT', DAY_MS],
  ])('reads %j as %d ms', (header, expected) => {
    expect(parseRetryAfter(header, NOW)).toBe(expected);
  });

  it.each([
    undefined,
    '',
    '-1',
    '1.5',
    '1e3',
    'soon',
    '2026-01-31',
    'Sat, 99 Foo 2026 12:00:00 GMT',
    '5 seconds',
  ])('ignores %j', (header) => {
    expect(parseRetryAfter(header, NOW)).toBeUndefined();
  });
});
