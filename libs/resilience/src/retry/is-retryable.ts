import type { AttemptOutcome } from './attempt-outcome.ts';

/** How often an operation may be attempted again after an attempt whose outcome is unknown. */
export type RepeatAfterUnknown = 'freely' | 'once';

/** The attempts of a call so far. */
export interface AttemptHistory {
  readonly attempts: number;
  /** Those of them whose outcome is unknown. */
  readonly unknown: number;
}

/**
 * Is it retryable? What was not sent, and what failed transiently, always is. What may have been done is as far as the
 * operation allows: with `once`, a call with an attempt of unknown outcome makes two attempts at most.
 */
export function isRetryable(
  outcome: AttemptOutcome<unknown, unknown>,
  { attempts, unknown }: AttemptHistory,
  repeat: RepeatAfterUnknown,
): boolean {
  switch (outcome.kind) {
    case 'transient':
    case 'not-sent':
    case 'unknown':
      return repeat === 'freely' || unknown === 0 || attempts < 2;
    case 'answered':
    case 'rejected':
    case 'expired':
      return false;
  }
}
