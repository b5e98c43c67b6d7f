import type { AttemptOutcome } from './attempt-outcome.ts';

/** What may follow an attempt whose outcome is unknown: any further call, or only one. */
export type RepeatAfterUnknown = 'freely' | 'once';

/** What is known of a call so far. */
export interface CallHistory {
  /** Attempts that were started. */
  readonly calls: number;
  /** Those of them whose outcome is unknown. */
  readonly unknown: number;
}

/**
 * Is it retryable? What was not sent and what passes by itself always are; what may have been done is as far as the
 * operation bears it: with `once`, a call of which an attempt ended unknown makes two attempts at most.
 */
export function isRetryable(
  outcome: AttemptOutcome<unknown, unknown>,
  { calls, unknown }: CallHistory,
  repeat: RepeatAfterUnknown,
): boolean {
  switch (outcome.kind) {
    case 'passing':
    case 'not-sent':
    case 'unknown':
      return repeat === 'freely' || unknown === 0 || calls < 2;
    case 'answered':
    case 'held-back':
    case 'expired':
      return false;
  }
}
