import { describe, expect, it } from '@jest/globals';

import { nextDelayMs } from './postpone.ts';

const DELAYS_MS = [5_000, 30_000, 120_000];

describe('nextDelayMs', () => {
  it.each([
    [0, undefined, 5_000],
    [1, undefined, 30_000],
    [2, undefined, 120_000],
    [1_000_000, undefined, 120_000],
    [0, 5_000, 5_000],
    [0, 5_001, 30_000],
    [0, 120_001, 120_000],
    [1, 1, 30_000],
    [1, 60_000, 120_000],
  ])('after %i postponements, asked to wait %p ms, waits %i ms', (postponed, retryAfterMs, delayMs) => {
    expect(nextDelayMs(DELAYS_MS, postponed, Infinity, retryAfterMs)).toBe(delayMs);
  });

  it.each([
    ['the wait would end at the deadline', DELAYS_MS, 5_000, undefined, undefined],
    ['it would end a millisecond before', DELAYS_MS, 5_001, undefined, 5_000],
    ['what was asked for would end at the deadline', DELAYS_MS, 200_000, 200_000, undefined],
    ['that would end a millisecond before', DELAYS_MS, 200_001, 200_000, 120_000],
    ['there is no retry queue', [], Infinity, undefined, undefined],
  ])('gives up or waits if %s', (_, delaysMs, remainingMs, retryAfterMs, delayMs) => {
    expect(nextDelayMs(delaysMs, 0, remainingMs, retryAfterMs)).toBe(delayMs);
  });
});
