import type { Random } from '../clock.ts';
import type { Deadline } from '../deadline.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import { backoffMs } from './backoff.ts';
import { type CallHistory, isRetryable, type RepeatAfterUnknown } from './is-retryable.ts';
import { pause } from './pause.ts';
import type { RetryBudget } from './retry-budget.ts';

/** A longer pause is the caller's to make: a place among the commands in hand is too dear for it. */
const MAX_PAUSE_MS = 30_000;

export interface RetryRules {
  /** The first among them. */
  readonly maxAttempts: number;
  readonly repeatAfterUnknown: RepeatAfterUnknown;
  readonly budget: RetryBudget;
  readonly deadline: Deadline;
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

/**
 * Makes attempts until one is answered for good or another may not follow.
 *
 * An attempt that was held back, or that was never sent after one whose outcome is unknown, does not hide what was
 * known before it. A pause that would pass the deadline is not begun.
 */
export async function retry<Answer, Fault>(
  attempt: () => Promise<AttemptOutcome<Answer, Fault>>,
  rules: RetryRules,
): Promise<CallEnd<Answer, Fault>> {
  let telling: AttemptOutcome<Answer, Fault> | undefined;
  let calls = 0;
  let unknown = 0;
  for (;;) {
    const outcome = await attempt();
    calls += 1;
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
    const isTooLong = pauseMs >= rules.deadline.remainingMs() || pauseMs > MAX_PAUSE_MS;
    if (isTooLong || !rules.budget.take()) return { outcome: telling, history };
    rules.onRetry();
    await pause(pauseMs, rules.stopping);
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
