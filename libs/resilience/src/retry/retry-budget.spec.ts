import { describe, expect, it } from '@jest/globals';

import { RetryBudget } from './retry-budget.ts';

function emptied(clock: () => number): RetryBudget {
  const budget = new RetryBudget(clock);
  let taken = 0;
  while (budget.take()) taken += 1;
  expect(taken).toBe(100);
  return budget;
}

describe('RetryBudget', () => {
  it('refills by successes, a retry for five', () => {
    const budget = emptied(() => 0);
    for (let i = 0; i < 4; i += 1) budget.succeeded();
    expect(budget.take()).toBe(false);
    budget.succeeded();
    expect([budget.take(), budget.take()]).toEqual([true, false]);
  });

  it('refills with time alone, so that it is not empty for ever', () => {
    let nowMs = 0;
    const budget = emptied(() => nowMs);
    nowMs = 999;
    expect(budget.take()).toBe(false);
    nowMs = 1000;
    expect([budget.take(), budget.take()]).toEqual([true, false]);
  });

  it('tells what is left', () => {
    let nowMs = 0;
    const budget = new RetryBudget(() => nowMs);
    expect(budget.left).toBe(100);
    for (let i = 0; i < 10; i += 1) budget.take();
    nowMs = 2500;
    expect(budget.left).toBe(92.5);
  });

  it('never holds more than it began with', () => {
    let nowMs = 0;
    const budget = new RetryBudget(() => nowMs);
    nowMs = 86_400_000;
    for (let i = 0; i < 1000; i += 1) budget.succeeded();
    let taken = 0;
    while (budget.take()) taken += 1;
    expect(taken).toBe(100);
  });
});
