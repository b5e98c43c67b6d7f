import { describe, expect, it } from '@jest/globals';

import { nextDelayMs, type Postponement } from './topology.ts';

const next = (facts: Partial<Postponement>) =>
  nextDelayMs({
    delaysMs: [5_000, 30_000, 120_000],
    postponed: 0,
    retryAfterMs: undefined,
    remainingMs: Number.POSITIVE_INFINITY,
    ...facts,
  });

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
    expect(next({ postponed, retryAfterMs })).toBe(delayMs);
  });

  it.each([
    ['the wait would end at the deadline', { remainingMs: 5_000 }, undefined],
    ['it would end a millisecond before', { remainingMs: 5_001 }, 5_000],
    [
      'what was asked for would end at the deadline',
      { retryAfterMs: 200_000, remainingMs: 200_000 },
      undefined,
    ],
    ['that would end a millisecond before', { retryAfterMs: 200_000, remainingMs: 200_001 }, 120_000],
    ['there is no retry queue', { delaysMs: [] }, undefined],
  ])('gives up or waits if %s', (_, facts, delayMs) => {
    expect(next(facts)).toBe(delayMs);
  });
});
