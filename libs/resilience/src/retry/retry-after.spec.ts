import { describe, expect, it } from '@jest/globals';

import { readRetryAfter } from './retry-after.ts';

const NOW = Date.parse('2026-01-31T12:00:00Z');
const NOW_S = NOW / 1000;
const DAY_MS = 86_400_000;
const wait = (headers: Record<string, string | string[]>, status = 429) =>
  readRetryAfter(status, headers, NOW);

describe('readRetryAfter', () => {
  it.each([
    [' 7 ', 7000],
    ['Sat, 31 Jan 2026 12:00:30 GMT', 30_000],
    ['Saturday, 31-Jan-26 12:00:30 GMT', 30_000],
    ['Sat Jan 31 12:00:30 2026', 30_000],
    ['Sat, 31 Jan 2026 11:00:00 GMT', 0],
    [String(NOW_S + 3), 3000],
    [String(NOW + 3000), 3000],
    [String(NOW_S - 3), 0],
    ['90000', DAY_MS],
    ['99999999999999999999999', DAY_MS],
    ['Sun, 31 Jan 2027 12:00:00 GMT', DAY_MS],
  ])('reads Retry-After %j as %d ms, also of a 503', (value, expected) => {
    expect(wait({ 'retry-after': value })).toBe(expected);
    expect(wait({ 'retry-after': [value, '600'] }, 503)).toBe(expected);
  });

  it.each(['', '-1', '1.5', '1e3', 'soon', '2026-01-31', 'Sat, 99 Foo 2026 12:00:00 GMT'])(
    'ignores the invalid value %j and reads the next header',
    (value) => {
      expect(wait({ 'retry-after': value })).toBeUndefined();
      expect(wait({ 'retry-after': value, 'x-rate-limit-reset': '2' })).toBe(2000);
    },
  );

  it.each<[Record<string, string>, number | undefined]>([
    [{ 'x-rate-limit-limit': '10', 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': '3' }, 3000],
    [{ 'x-rate-limit-reset': String(NOW_S + 3) }, 3000],
    [{ 'retry-after': '1', 'x-rate-limit-reset': '9' }, 1000],
    [{ 'ratelimit-reset': '5', 'x-rate-limit-reset': '9' }, 5000],
    [{ ratelimit: 'limit=100, remaining=0, reset=50' }, 50_000],
    [{ ratelimit: '"burst";r=0;t=3, "hour";r=0;t=40, "day";r=500;t=40000' }, 40_000],
    [{ ratelimit: '"default";r=50;t=30' }, 30_000],
    [{ ratelimit: '"default";r=0' }, undefined],
  ])('reads the rate limit of a 429, and of no other answer: %j is %d ms', (headers, expected) => {
    expect(wait(headers)).toBe(expected);
    expect(wait({ ...headers, 'retry-after': '' }, 503)).toBeUndefined();
  });
});
