import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { Deadline } from '../deadline.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import { retry, type RetryRules } from './retry.ts';
import { RetryBudget } from './retry-budget.ts';

type Outcome = AttemptOutcome<string, string>;

const answered: Outcome = { kind: 'answered', answer: 'yes' };
const notSent: Outcome = { kind: 'not-sent', fault: 'refused' };
const unknown: Outcome = { kind: 'unknown', fault: 'reset' };
const heldBack: Outcome = { kind: 'held-back', fault: 'open' };
const passing = (retryAfterMs?: number): Outcome => ({ kind: 'passing', fault: '503', retryAfterMs });

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
});

afterEach(() => {
  jest.useRealTimers();
});

async function run(outcomes: Outcome[], rules: Partial<RetryRules> = {}, deadline = Deadline.after(15_000)) {
  const startedAtMs: number[] = [];
  const onRetry = jest.fn();
  const attempt = (): Outcome => {
    startedAtMs.push(Date.now());
    return outcomes[startedAtMs.length - 1]!;
  };
  const end = retry(
    attempt(),
    attempt,
    {
      maxAttempts: 3,
      repeatAfterUnknown: 'freely',
      budget: new RetryBudget(),
      random: () => 0.5,
      stopping: new AbortController().signal,
      onRetry,
      ...rules,
    },
    deadline,
  );
  await jest.runAllTimersAsync();
  return { ...(await end), startedAtMs, retries: onRetry.mock.calls.length };
}

describe('retry', () => {
  it('takes the first answer', async () => {
    expect(await run([answered])).toMatchObject({ outcome: answered, startedAtMs: [0], retries: 0 });
  });

  it('tries again after growing pauses with jitter, as often as allowed', async () => {
    const end = await run([passing(), notSent, unknown, answered]);
    expect(end).toMatchObject({ outcome: unknown, startedAtMs: [0, 100, 300], retries: 2 });
    expect(end.history).toEqual({ calls: 3, unknown: 1 });
  });

  it('waits as long as Retry-After asks', async () => {
    expect(await run([passing(2000), answered])).toMatchObject({ outcome: answered, startedAtMs: [0, 2100] });
  });

  it('gives up at once where the wait would pass the deadline', async () => {
    expect(await run([passing(15_000), answered])).toMatchObject({
      outcome: passing(15_000),
      startedAtMs: [0],
    });
    const deadline = Deadline.after(50);
    expect(await run([passing(), answered], {}, deadline)).toMatchObject({
      outcome: passing(),
      startedAtMs: [0],
    });
  });

  it('leaves a wait that is too long for a command in hand to the caller', async () => {
    const deadline = Deadline.after(600_000);
    const end = await run([passing(31_000), answered], {}, deadline);
    expect(end).toMatchObject({ outcome: passing(31_000), startedAtMs: [0] });
  });

  it('makes at most two calls after an unknown one where it may repeat once', async () => {
    const rules: Partial<RetryRules> = { repeatAfterUnknown: 'once', maxAttempts: 5 };
    expect((await run([unknown, unknown, answered], rules)).startedAtMs).toHaveLength(2);
    expect((await run([passing(), unknown, answered], rules)).startedAtMs).toHaveLength(2);
    expect((await run([passing(), passing(), answered], rules)).startedAtMs).toHaveLength(3);
  });

  it('does not let an attempt that never left hide what the one before may have done', async () => {
    expect((await run([unknown, notSent, notSent])).outcome).toBe(unknown);
    expect((await run([unknown, heldBack])).outcome).toBe(unknown);
    expect((await run([passing(), heldBack])).outcome).toEqual(passing());
    expect((await run([heldBack])).outcome).toBe(heldBack);
    expect((await run([unknown, notSent, passing()])).outcome).toEqual(passing());
  });

  it('ends where the budget is empty', async () => {
    const budget = new RetryBudget();
    while (budget.take());
    expect(await run([passing(), answered], { budget })).toMatchObject({ outcome: passing(), retries: 0 });
  });

  it('ends a pause when it is told to stop, and leaves nothing behind', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 500);
    const end = await run([passing(10_000), heldBack], { stopping: stop.signal });
    expect(end).toMatchObject({ outcome: passing(10_000), startedAtMs: [0, 500] });
    expect(jest.getTimerCount()).toBe(0);
  });
});
