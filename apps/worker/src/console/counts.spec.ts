import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { Metrics } from '#telemetry';

import { figuresBetween, readCounts } from './counts.ts';

const TYPE = 'game.open';

function answer(metrics: Metrics, outcome: string, seconds: number): void {
  metrics.commands.labels(TYPE, outcome).value += 1;
  metrics.commandDuration.labels(TYPE).observe(seconds);
}

/** The figures of what was counted between two moments. */
function figuresOf(before: readonly number[], during: readonly number[], elapsedMs = 5_000) {
  const metrics = new Metrics();
  for (const seconds of before) answer(metrics, 'success', seconds);
  const first = readCounts(metrics, 1_000);
  for (const seconds of during) answer(metrics, 'success', seconds);
  return figuresBetween(first, readCounts(metrics, 1_000 + elapsedMs), TYPE);
}

describe('figuresBetween', () => {
  it('counts what happened between two moments, and tells what callers and players did wrong apart', () => {
    const metrics = new Metrics();
    answer(metrics, 'success', 0.02);
    answer(metrics, 'OVERLOADED', 0.02);
    const before = readCounts(metrics, 1_000);
    for (let n = 0; n < 8; n += 1) answer(metrics, 'success', 0.02);
    answer(metrics, 'OVERLOADED', 0.02);
    for (const code of ['CIRCUIT_OPEN', 'CIRCUIT_OPEN', 'NICKNAME_TAKEN', 'VALIDATION_FAILED'])
      answer(metrics, code, 0.02);
    const after = readCounts(metrics, 6_000);
    expect(figuresBetween(before, after, TYPE)).toMatchObject({
      answered: 13,
      failed: 3,
      refused: 2,
      codes: [
        ['CIRCUIT_OPEN', 2],
        ['OVERLOADED', 1],
      ],
      perSecond: 2.6,
    });
  });

  it('has no latency if there was no command', () => {
    const figures = figuresOf([0.02], []);
    expect(figures).toMatchObject({ answered: 0, perSecond: 0, p50Ms: null, p95Ms: null });
  });

  it('is never off by more than a fifth, or by 5 ms', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0.001, max: 599, noNaN: true }), { minLength: 1 }), (all) => {
        const actual = all.toSorted((a, b) => a - b)[Math.ceil(0.95 * all.length) - 1] ?? 0;
        const shown = (figuresOf([], all).p95Ms ?? 0) / 1_000;
        expect(Math.abs(shown - actual)).toBeLessThanOrEqual(Math.max(0.005, 0.2 * actual) + 1e-9);
      }),
    );
  });

  it('is the last bound for what takes longer than that', () => {
    expect(figuresOf([], [1_000]).p50Ms).toBe(600_000);
  });

  it('knows nothing of a type that no command had', () => {
    const counts = readCounts(new Metrics(), 1_000);
    expect(figuresBetween(counts, counts, TYPE)).toMatchObject({ answered: 0, p95Ms: null });
  });
});
