import { describe, expect, it } from '@jest/globals';

import { type AttemptOutcome, Attempts, RetryBudget } from './retry.ts';

const answered: AttemptOutcome = { kind: 'answered' };
const notSent: AttemptOutcome = { kind: 'not-sent' };
const unknown: AttemptOutcome = { kind: 'unknown' };
const rejected: AttemptOutcome = { kind: 'rejected' };
const transient = (retryAfterMs?: number): AttemptOutcome => ({ kind: 'transient', retryAfterMs });

/** Returns the pauses between attempts with these outcomes, and the outcome of the call. */
function run(
  outcomes: readonly AttemptOutcome[],
  repeat: 'freely' | 'once' = 'freely',
  { maxAttempts = 3, remainingMs = 600_000, random = 0.5, budget = new RetryBudget(() => 0) } = {},
) {
  const attempts = new Attempts({ maxAttempts, budget, random: () => random }, repeat);
  const pausesMs: number[] = [];
  for (const each of outcomes) {
    const next = attempts.next(each, remainingMs);
    if ('outcome' in next) return { outcome: next.outcome, pausesMs, attempts };
    pausesMs.push(next.retryInMs);
  }
  throw new Error('no outcome');
}

describe('Attempts', () => {
  it.each<[string, AttemptOutcome[], AttemptOutcome, number[]]>([
    ['pause longer each time', [transient(), notSent, unknown], unknown, [100, 200]],
    ['waits for retryAfterMs plus jitter', [transient(5_000), answered], answered, [5_100]],
    ['leaves a wait of more than 30 s to the caller', [transient(31_000)], transient(31_000), []],
    ['keeps an unknown outcome if the next attempt is rejected', [unknown, rejected], unknown, [100]],
    [
      'keeps an unknown outcome if the next attempts are not sent',
      [unknown, notSent, notSent],
      unknown,
      [100, 200],
    ],
    ['ends as rejected after a rejected first attempt', [rejected], rejected, []],
    ['ends with the last answer', [unknown, transient(), answered], answered, [100, 200]],
  ])('%s', (_what, outcomes, outcome, pausesMs) => {
    expect(run(outcomes)).toMatchObject({ outcome, pausesMs });
  });

  it('pauses from 0 up to a ceiling that doubles until it reaches 5 s', () => {
    const outcomes = Array.from({ length: 8 }, () => transient());
    const pauses = (random: number) => run(outcomes, 'freely', { maxAttempts: 8, random }).pausesMs;
    expect(pauses(0)).toEqual([0, 0, 0, 0, 0, 0, 0]);
    expect(pauses(1)).toEqual([200, 400, 800, 1600, 3200, 5000, 5000]);
  });

  it('makes no more retries than the budget allows', () => {
    expect(run([transient()], 'freely', { budget: emptied(() => 0) }).pausesMs).toEqual([]);
  });

  it('does not begin a pause that would exceed the deadline', () => {
    expect(run([transient()], 'freely', { remainingMs: 100 }).pausesMs).toEqual([]);
    expect(run([transient(), answered], 'freely', { remainingMs: 101 }).pausesMs).toEqual([100]);
  });

  it.each([
    [[unknown, unknown, answered], 2],
    [[transient(), unknown, answered], 2],
    [[unknown, transient(), answered], 2],
    [[transient(), transient(), answered], 3],
  ])('are at most two after an unknown outcome if it may be repeated once: %j', (outcomes, count) => {
    expect(run(outcomes, 'once', { maxAttempts: 5 }).attempts.count).toBe(count);
  });
});

function emptied(clock: () => number): RetryBudget {
  const budget = new RetryBudget(clock);
  let spent = 0;
  while (budget.spend()) spent += 1;
  expect(spent).toBe(100);
  return budget;
}

describe('RetryBudget', () => {
  it('regains one retry for five successes', () => {
    const budget = emptied(() => 0);
    for (let i = 0; i < 4; i += 1) budget.succeeded();
    expect(budget.spend()).toBe(false);
    budget.succeeded();
    expect([budget.spend(), budget.spend()]).toEqual([true, false]);
  });

  it('refills over time, returns the remaining retries, and never exceeds its initial size', () => {
    let nowMs = 0;
    const budget = emptied(() => nowMs);
    nowMs = 999;
    expect([budget.left, budget.spend()]).toEqual([0.999, false]);
    nowMs = 1000;
    expect([budget.spend(), budget.spend()]).toEqual([true, false]);
    nowMs = 86_400_000;
    budget.succeeded();
    expect(budget.left).toBe(100);
  });
});
