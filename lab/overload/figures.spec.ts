import { describe, expect, it } from '@jest/globals';

import type { Answer } from './caller.ts';
import { backAfterMs, figuresOf } from './figures.ts';

const answer = (dueMs: number, latencyMs: number, outcome = 'success', retryAfterMs?: number): Answer => ({
  dueMs,
  latencyMs,
  outcome,
  retryAfterMs,
});
const LOAD = { phase: 'load', startMs: 1_000, forMs: 4_000 };

describe('figuresOf', () => {
  it('counts successes by the time of their answers, excluding the first quarter and answers after the load', () => {
    const answers = [answer(1_100, 800), answer(1_500, 700), answer(3_000, 500), answer(4_900, 300)];
    const expected = {
      offered: 2 / 3,
      goodput: 2 / 3,
      finalGoodput: 0,
      succeeded: 4,
      p50Ms: 600,
      p99Ms: 700,
    };
    expect(figuresOf(answers, LOAD)).toMatchObject(expected);
  });

  it.each([
    ['their waits', [answer(2_500, 5, 'OVERLOADED', 100), answer(2_600, 9, 'OVERLOADED', 300)], 200],
    ['no wait', [answer(2_500, 5, 'OVERLOADED', 100), answer(2_600, 9, 'OVERLOADED')], undefined],
  ])('describes refusals with %s, and counts other outcomes', (_, refusals, retryAfterMs) => {
    const figures = figuresOf([...refusals, answer(2_700, Infinity, 'UNANSWERED')], LOAD);
    expect(figures).toMatchObject({ refused: 2, refusedP99Ms: 9, retryAfterMs, others: 'UNANSWERED 1' });
  });
});

it.each([
  ['each second is normal', [], 0],
  ['a second has a slow half', [answer(1_200, 900), answer(1_300, 900)], 1_000],
  ['a later second has failures', [answer(3_300, 10, 'OVERLOADED')], 3_000],
  ['the last second is not normal', [answer(4_500, Infinity, 'UNANSWERED')], Infinity],
])('backAfterMs returns the end of the last second that is not normal: %s', (_, more, backMs) => {
  const normal = Array.from({ length: 4 }, (__, second) => answer(1_000 + second * 1_000, 100));
  expect(backAfterMs([...normal, ...more], LOAD, 800)).toBe(backMs);
});
