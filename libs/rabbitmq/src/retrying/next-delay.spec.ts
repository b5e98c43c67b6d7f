import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { nextDelayMs, type Postponement } from './next-delay.ts';

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

  it('waits for one of the delays, before the deadline, as long as asked if one is that long', () => {
    const durationMs = fc.integer({ min: 0, max: 1_000_000 });
    const delays = fc.uniqueArray(fc.integer({ min: 1, max: 500_000 }), { minLength: 1, maxLength: 6 });
    const facts = fc.record({
      delaysMs: delays.map((delaysMs) => delaysMs.sort((a, b) => a - b)),
      postponed: fc.nat(8),
      retryAfterMs: fc.option(durationMs, { nil: undefined }),
      remainingMs: durationMs,
    });
    fc.assert(
      fc.property(facts, (postponement) => {
        const delayMs = nextDelayMs(postponement);
        if (delayMs === undefined) return;
        const { delaysMs, retryAfterMs = 0, remainingMs } = postponement;
        expect(delaysMs).toContain(delayMs);
        expect(delayMs).toBeLessThan(remainingMs);
        expect(delayMs).toBeGreaterThanOrEqual(Math.min(retryAfterMs, Math.max(...delaysMs)));
      }),
    );
  });
});
