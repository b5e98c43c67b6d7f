import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { Deadline } from '../deadline.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import { retry, type RetryRules } from './retry.ts';
import { RetryBudget } from './retry-budget.ts';

type Outcome = AttemptOutcome<string, string>;

const answered: Outcome = { kind: 'answered', answer: 'yes' };
const notSent: Outcome = { kind: 'not-sent', fault: 'refused' };
const unknown: Outcome = { kind: 'unknown', fault: 'reset' };
const rejected: Outcome = { kind: 'rejected', fault: 'open' };
const transient = (retryAfterMs?: number): Outcome => ({ kind: 'transient', fault: '503', retryAfterMs });

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

  it('attempts again after growing pauses with jitter, as often as allowed', async () => {
    const end = await run([transient(), notSent, unknown, answered]);
    expect(end).toMatchObject({ outcome: unknown, startedAtMs: [0, 100, 300], retries: 2 });
    expect(end.history).toEqual({ attempts: 3, unknown: 1 });
  });

  it('waits as long as Retry-After asks', async () => {
    expect(await run([transient(2000), answered])).toMatchObject({
      outcome: answered,
      startedAtMs: [0, 2100],
    });
  });

  it('gives up at once if the wait would pass the deadline', async () => {
    expect(await run([transient(15_000), answered])).toMatchObject({
      outcome: transient(15_000),
      startedAtMs: [0],
    });
    const deadline = Deadline.after(50);
    expect(await run([transient(), answered], {}, deadline)).toMatchObject({
      outcome: transient(),
      startedAtMs: [0],
    });
  });

  it('leaves a wait that is too long for a command in flight to the caller', async () => {
    const deadline = Deadline.after(600_000);
    const end = await run([transient(31_000), answered], {}, deadline);
    expect(end).toMatchObject({ outcome: transient(31_000), startedAtMs: [0] });
  });

  it('makes at most two attempts after an unknown outcome if it may repeat once', async () => {
    const rules: Partial<RetryRules> = { repeatAfterUnknown: 'once', maxAttempts: 5 };
    expect((await run([unknown, unknown, answered], rules)).startedAtMs).toHaveLength(2);
    expect((await run([transient(), unknown, answered], rules)).startedAtMs).toHaveLength(2);
    expect((await run([transient(), transient(), answered], rules)).startedAtMs).toHaveLength(3);
  });

  it('does not let an attempt that was not sent hide what the one before may have done', async () => {
    expect((await run([unknown, notSent, notSent])).outcome).toBe(unknown);
    expect((await run([unknown, rejected])).outcome).toBe(unknown);
    expect((await run([transient(), rejected])).outcome).toEqual(transient());
    expect((await run([rejected])).outcome).toBe(rejected);
    expect((await run([unknown, notSent, transient()])).outcome).toEqual(transient());
  });

  it('ends if the budget is empty', async () => {
    const budget = new RetryBudget();
    while (budget.take());
    expect(await run([transient(), answered], { budget })).toMatchObject({
      outcome: transient(),
      retries: 0,
    });
  });

  it('ends a pause when it is stopped, and leaves nothing behind', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 500);
    const end = await run([transient(10_000), rejected], { stopping: stop.signal });
    expect(end).toMatchObject({ outcome: transient(10_000), startedAtMs: [0, 500] });
    expect(jest.getTimerCount()).toBe(0);
  });
});
