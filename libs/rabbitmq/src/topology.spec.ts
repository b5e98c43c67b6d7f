import { describe, expect, it } from '@jest/globals';

import { nextDelayMs, type Postponement } from './topology.ts';

const DELAYS_MS = [5_000, 30_000, 120_000];

const next = (facts: Partial<Postponement>) =>
  nextDelayMs({
    delaysMs: DELAYS_MS,
    postponed: 0,
    retryAfterMs: undefined,
    remainingMs: Number.POSITIVE_INFINITY,
    ...facts,
  });

describe('nextDelayMs', () => {
  it.each([
    [0, 5_000],
    [1, 30_000],
    [2, 120_000],
    [3, 120_000],
    [1_000_000, 120_000],
  ])('after %i postponements waits %i ms', (postponed, delayMs) => {
    expect(next({ postponed })).toBe(delayMs);
  });

  it.each([
    [0, 0, 5_000],
    [0, 5_000, 5_000],
    [0, 5_001, 30_000],
    [0, 30_001, 120_000],
    [0, 120_001, 120_000],
    [1, 1, 30_000],
    [1, 60_000, 120_000],
    [2, 1, 120_000],
  ])('after %i postponements, asked to wait %i ms, waits %i ms', (postponed, retryAfterMs, delayMs) => {
    expect(next({ postponed, retryAfterMs })).toBe(delayMs);
  });

  it.each([
    ['the wait would end at the deadline', { remainingMs: 5_000 }],
    ['the deadline has passed', { remainingMs: 0 }],
    ['what was asked for would end at the deadline', { retryAfterMs: 200_000, remainingMs: 200_000 }],
    ['there is no retry queue', { delaysMs: [] }],
  ])('gives up if %s', (_, facts) => {
    expect(next(facts)).toBeUndefined();
  });

  it('waits if that ends a millisecond before the deadline', () => {
    expect(next({ remainingMs: 5_001 })).toBe(5_000);
    expect(next({ retryAfterMs: 200_000, remainingMs: 200_001 })).toBe(120_000);
  });
});
