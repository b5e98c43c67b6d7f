import { describe, expect, it } from '@jest/globals';

import { backoffMs } from './backoff.ts';

describe('backoffMs', () => {
  it('draws from nothing up to a ceiling that doubles, and ends', () => {
    expect(backoffMs(1, undefined, () => 0)).toBe(0);
    expect([1, 2, 3, 4, 5, 6, 60].map((attempts) => backoffMs(attempts, undefined, () => 1))).toEqual([
      200, 400, 800, 1600, 3200, 5000, 5000,
    ]);
  });

  it('adds the jitter to what Retry-After asked for', () => {
    expect(backoffMs(1, 3000, () => 0)).toBe(3000);
    expect(backoffMs(1, 3000, () => 0.5)).toBe(3100);
  });
});
