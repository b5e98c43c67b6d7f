import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { steadyClock } from '../clock.ts';
import { Deadline } from '../deadline.ts';
import {
  type AttemptOutcome,
  backoffMs,
  parseRetryAfter,
  retry,
  RetryBudget,
  type RetryRules,
} from './retry.ts';

type Outcome = AttemptOutcome<string, string, string>;
const answered: Outcome = { kind: 'answered', answer: 'yes' };
const notSent: Outcome = { kind: 'not-sent', fault: 'refused' };
const unknown: Outcome = { kind: 'unknown', fault: 'reset' };
const rejected: Outcome = { kind: 'rejected', refusal: 'open' };
const transient = (retryAfterMs?: number): Outcome => ({ kind: 'transient', answer: '503', retryAfterMs });

beforeEach(() => void jest.useFakeTimers({ now: 0 }));
afterEach(() => void jest.useRealTimers());

async function run(outcomes: Outcome[], rules: Partial<RetryRules> = {}) {
  const startedAtMs: number[] = [];
  const onRetry = jest.fn();
  const attempt = (): Outcome => {
    startedAtMs.push(Date.now());
    return outcomes[startedAtMs.length - 1]!;
  };
  const end = retry(
    attempt,
    {
      maxAttempts: 3,
      repeatAfterUnknown: 'freely',
      budget: new RetryBudget(steadyClock),
      random: () => 0.5,
      stopping: new AbortController().signal,
      onRetry,
      ...rules,
    },
    new Deadline(Date.now() + 600_000),
  );
  await jest.runAllTimersAsync();
  return { ...(await end), startedAtMs, retries: onRetry.mock.calls.length };
}

describe('retry', () => {
  it.each<[string, Outcome[], Outcome, number[]]>([
    ['pauses longer each time', [transient(), notSent, unknown, answered], unknown, [0, 100, 300]],
    ['leaves a wait of more than 30 s to the caller', [transient(31_000)], transient(31_000), [0]],
    ['keeps what may have been done if the next is rejected', [unknown, rejected], unknown, [0, 100]],
    ['ends with a rejection', [rejected], rejected, [0]],
  ])('%s', async (_what, outcomes, outcome, startedAtMs) => {
    const end = await run(outcomes);
    expect(end).toMatchObject({ outcome, startedAtMs, retries: startedAtMs.length - 1 });
  });

  it.each([
    [[unknown, unknown, answered], 2],
    [[transient(), unknown, answered], 2],
    [[unknown, transient(), answered], 2],
    [[transient(), transient(), answered], 3],
  ])(
    'makes at most two attempts after an unknown outcome if it may repeat once: %j',
    async (outcomes, attempts) => {
      const { startedAtMs } = await run(outcomes, { repeatAfterUnknown: 'once', maxAttempts: 5 });
      expect(startedAtMs).toHaveLength(attempts);
    },
  );
});

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

  it('refills with time alone, tells what is left, and never holds more than it began with', () => {
    let nowMs = 0;
    const budget = emptied(() => nowMs);
    nowMs = 999;
    expect([budget.left, budget.take()]).toEqual([0.999, false]);
    nowMs = 1000;
    expect([budget.take(), budget.take()]).toEqual([true, false]);
    nowMs = 86_400_000;
    budget.succeeded();
    expect(budget.left).toBe(100);
  });
});

describe('backoffMs', () => {
  it('draws from nothing up to a ceiling that doubles, and ends', () => {
    expect(backoffMs(1, undefined, () => 0)).toBe(0);
    expect([1, 2, 3, 4, 5, 6, 60].map((attempts) => backoffMs(attempts, undefined, () => 1))).toEqual([
      200, 400, 800, 1600, 3200, 5000, 5000,
    ]);
  });
});

const NOW = Date.parse('2026-01-31T12:00:00Z');
const DAY_MS = 86_400_000;

describe('parseRetryAfter', () => {
  it.each([
    [' 7 ', 7000],
    ['Sat, 31 Jan 2026 12:00:30 GMT', 30_000],
    ['Saturday, 31-Jan-26 12:00:30 GMT', 30_000],
    ['Sat Jan 31 12:00:30 2026', 30_000],
    ['Sat, 31 Jan 2026 11:00:00 GMT', 0],
    ['99999999999999999999999', DAY_MS],
    ['Sun, 31 Jan 2027 12:00:00 GMT', DAY_MS],
  ])('reads %j as %d ms', (header, expected) => expect(parseRetryAfter(header, NOW)).toBe(expected));

  it.each(['', '-1', '1.5', '1e3', 'soon', '2026-01-31', 'Sat, 99 Foo 2026 12:00:00 GMT'])(
    'ignores %j',
    (header) => {
      expect(parseRetryAfter(header, NOW)).toBeUndefined();
    },
  );
});
