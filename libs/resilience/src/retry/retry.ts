import type { Random } from '../clock.ts';
import type { Deadline } from '../deadline.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import { backoffMs } from './backoff.ts';
import { type AttemptHistory, isRetryable, type RepeatAfterUnknown } from './is-retryable.ts';
import type { RetryBudget } from './retry-budget.ts';

/** A longer pause is the caller's to make: a command that waits here takes the place of another one in flight. */
const MAX_PAUSE_MS = 30_000;

/** The same for all calls of one operation. */
export interface RetryRules {
  /** The first one included. */
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
  readonly history: AttemptHistory;
}

/** The outcome at once if it is known at once, else a promise of it. */
type Attempted<Answer, Fault> = AttemptOutcome<Answer, Fault> | Promise<AttemptOutcome<Answer, Fault>>;

/**
 * Attempts a call again until it is answered for good, or no further attempt may follow.
 *
 * An attempt that was rejected, or that was not sent after one whose outcome is unknown, does not replace the outcome
 * before it, which says more. A pause that would pass the deadline is not begun.
 *
 * @param first the outcome of the first attempt
 * @returns at once if the first attempt was answered
 */
export function retry<Answer, Fault>(
  first: AttemptOutcome<Answer, Fault>,
  attempt: () => Attempted<Answer, Fault>,
  rules: RetryRules,
  deadline: Deadline,
): CallEnd<Answer, Fault> | Promise<CallEnd<Answer, Fault>> {
  if (first.kind !== 'answered') return retryUntilAnswered(first, attempt, rules, deadline);
  rules.budget.succeeded();
  return { outcome: first, history: ONE_ATTEMPT };
}

const ONE_ATTEMPT: AttemptHistory = { attempts: 1, unknown: 0 };

async function retryUntilAnswered<Answer, Fault>(
  first: AttemptOutcome<Answer, Fault>,
  attempt: () => Attempted<Answer, Fault>,
  rules: RetryRules,
  deadline: Deadline,
): Promise<CallEnd<Answer, Fault>> {
  let last = first;
  let outcome = first;
  let unknown = 0;
  for (let attempts = 1; ; attempts += 1) {
    if (last.kind === 'answered') rules.budget.succeeded();
    if (last.kind === 'unknown') unknown += 1;
    const history = { attempts, unknown };
    if (attempts >= rules.maxAttempts || !isRetryable(last, history, rules.repeatAfterUnknown)) {
      return { outcome, history };
    }
    const retryAfterMs = last.kind === 'transient' ? last.retryAfterMs : undefined;
    const pauseMs = backoffMs(attempts, retryAfterMs, rules.random);
    const isTooLong = pauseMs >= deadline.remainingMs() || pauseMs > MAX_PAUSE_MS;
    if (isTooLong || !rules.budget.take()) return { outcome, history };
    rules.onRetry();
    await pause(pauseMs, rules.stopping);
    last = await attempt();
    if (saysMore(last, outcome)) outcome = last;
  }
}

function saysMore(last: AttemptOutcome<unknown, unknown>, before: AttemptOutcome<unknown, unknown>): boolean {
  return last.kind !== 'rejected' && !(last.kind === 'not-sent' && before.kind === 'unknown');
}

/** Waits, at most until `stopping` aborts. Leaves neither a timer nor a listener behind. */
function pause(durationMs: number, stopping: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stopping.aborted) {
      resolve();
      return;
    }
    const end = (): void => {
      clearTimeout(timer);
      stopping.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, durationMs);
    stopping.addEventListener('abort', end);
  });
}
