import type { Random } from '../clock.ts';
import type { Deadline } from '../deadline.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import { backoffMs } from './backoff.ts';
import { type CallHistory, isRetryable, type RepeatAfterUnknown } from './is-retryable.ts';
import { pause } from './pause.ts';
import type { RetryBudget } from './retry-budget.ts';

/** A longer pause is the caller's to make: a place among the commands in hand is too dear for it. */
const MAX_PAUSE_MS = 30_000;

/** What holds for all calls of a kind. */
export interface RetryRules {
  /** The first among them. */
  readonly maxAttempts: number;
  readonly repeatAfterUnknown: RepeatAfterUnknown;
  readonly budget: RetryBudget;
  readonly random: Random;
  /** Ends a pause early; the attempt after it finds out why. */
  readonly stopping: AbortSignal;
  readonly onRetry: () => void;
}

/** How a call ended, over all its attempts. */
export interface CallEnd<Answer, Fault> {
  readonly outcome: AttemptOutcome<Answer, Fault>;
  /** Attempts before the last whose outcome is unknown. */
  readonly history: CallHistory;
}

/** An attempt that was made, or one that is under way. */
type Attempted<Answer, Fault> = AttemptOutcome<Answer, Fault> | Promise<AttemptOutcome<Answer, Fault>>;

/**
 * Makes further attempts until one is answered for good or another may not follow.
 *
 * An attempt that was held back, or that was never sent after one whose outcome is unknown, does not hide what was
 * known before it. A pause that would pass the deadline is not begun.
 *
 * @param first how the first attempt ended, which has been made
 * @returns at once where that was answered
 */
export function retry<Answer, Fault>(
  first: AttemptOutcome<Answer, Fault>,
  attempt: () => Attempted<Answer, Fault>,
  rules: RetryRules,
  deadline: Deadline,
): CallEnd<Answer, Fault> | Promise<CallEnd<Answer, Fault>> {
  if (first.kind !== 'answered') return retryFrom(first, attempt, rules, deadline);
  rules.budget.succeeded();
  return { outcome: first, history: ONE_CALL };
}

const ONE_CALL: CallHistory = { calls: 1, unknown: 0 };

async function retryFrom<Answer, Fault>(
  first: AttemptOutcome<Answer, Fault>,
  attempt: () => Attempted<Answer, Fault>,
  rules: RetryRules,
  deadline: Deadline,
): Promise<CallEnd<Answer, Fault>> {
  let outcome = first;
  let telling: AttemptOutcome<Answer, Fault> | undefined;
  let unknown = 0;
  for (let calls = 1; ; calls += 1) {
    telling = moreTelling(telling, outcome);
    if (outcome.kind === 'answered') rules.budget.succeeded();
    if (outcome.kind === 'unknown') unknown += 1;
    const history = { calls, unknown };
    if (calls >= rules.maxAttempts || !isRetryable(outcome, history, rules.repeatAfterUnknown)) {
      return { outcome: telling, history };
    }
    const pauseMs = backoffMs(
      calls,
      outcome.kind === 'passing' ? outcome.retryAfterMs : undefined,
      rules.random,
    );
    const isTooLong = pauseMs >= deadline.remainingMs() || pauseMs > MAX_PAUSE_MS;
    if (isTooLong || !rules.budget.take()) return { outcome: telling, history };
    rules.onRetry();
    await pause(pauseMs, rules.stopping);
    outcome = await attempt();
  }
}

function moreTelling<Answer, Fault>(
  before: AttemptOutcome<Answer, Fault> | undefined,
  last: AttemptOutcome<Answer, Fault>,
): AttemptOutcome<Answer, Fault> {
  if (before === undefined) return last;
  const addsNothing = last.kind === 'held-back' || (last.kind === 'not-sent' && before.kind === 'unknown');
  return addsNothing ? before : last;
}
