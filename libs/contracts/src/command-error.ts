import type { ErrorDetails, PlatformAnswer, Violation } from './replies/command-failed.ts';
import { ERROR_CODES, type ErrorCategory, type ErrorCode } from './error-codes.ts';

/** What a failure can state beyond its code. All but the cause is in the error body. Default message: the code's own. */
export type CommandErrorFacts = {
  readonly [N in 'message' | 'retryAfterMs' | 'violations' | 'details' | 'platform' | 'cause']?:
    CommandError[N] | undefined;
};

/** How a command fails: a code of `ERROR_CODES` and what is known about the failure. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code: ErrorCode;
  readonly retryAfterMs: number | undefined;
  readonly violations: readonly Violation[] | undefined;
  readonly details: ErrorDetails | undefined;
  readonly platform: PlatformAnswer | undefined;

  constructor(code: ErrorCode, { message, cause, ...facts }: CommandErrorFacts = {}) {
    super(message ?? ERROR_CODES[code].message, cause === undefined ? {} : { cause });
    this.code = code;
    Object.assign(this, facts);
  }

  get category(): ErrorCategory {
    return ERROR_CODES[this.code].category;
  }

  get retryable(): boolean {
    return ERROR_CODES[this.code].retryable;
  }
}

/**
 * Says what the platform did, in the words that people on call read everywhere.
 *
 * @param cause the status, such as `HTTP 503`, or why there was no answer, such as `timeout`
 * @param unansweredMs how long the last call had been without an answer
 */
export function platformSays(cause = 'unknown', unansweredMs?: number): string {
  if (cause.startsWith('HTTP')) return `the platform answers ${cause}`;
  const after = unansweredMs === undefined ? '' : ` after ${(unansweredMs / 1000).toFixed(1)} s`;
  return `the platform does not answer: ${cause}${after}`;
}

/**
 * The error of a command whose deadline passed while the platform was called.
 *
 * @param unansweredMs how long the call in flight had been without an answer
 */
export function unansweredAtDeadline(unansweredMs: number): CommandError {
  const seconds = (unansweredMs / 1000).toFixed(1);
  return new CommandError('COMMAND_EXPIRED', {
    message: `The deadline passed while the platform had not answered for ${seconds} s.`,
    details: { called: true, reason: 'timeout', unansweredMs },
  });
}
