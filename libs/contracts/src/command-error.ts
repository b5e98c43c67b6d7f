import type { ErrorDetails, PlatformAnswer, Violation } from './replies/command-failed.ts';
import { ERROR_CODES, type ErrorCategory, type ErrorCode } from './error-codes.ts';

/**
 * Optional facts about a failure. All except the cause are in the error body. Default message: that of the
 * code.
 */
export type CommandErrorFacts = {
  readonly [N in 'message' | 'retryAfterMs' | 'violations' | 'details' | 'platform' | 'cause']?:
    CommandError[N] | undefined;
};

/** The failure of a command: a code of `ERROR_CODES` and optional facts. */
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
 * Returns the platform's failure in the wording that people on call read everywhere.
 *
 * @param cause the status, such as `HTTP 503`, or the reason for a missing answer, such as `timeout`
 * @param unansweredMs milliseconds for which the last call had been unanswered
 */
export function platformSays(cause = 'unknown', unansweredMs?: number): string {
  if (cause.startsWith('HTTP')) return `the platform answers ${cause}`;
  const after = unansweredMs === undefined ? '' : ` after ${(unansweredMs / 1000).toFixed(1)} s`;
  return `the platform does not answer: ${cause}${after}`;
}

/**
 * The error of a command whose deadline passed while the platform was called.
 *
 * @param unansweredMs milliseconds for which the call in flight had been unanswered
 */
export function unansweredAtDeadline(unansweredMs: number): CommandError {
  const seconds = (unansweredMs / 1000).toFixed(1);
  return new CommandError('COMMAND_EXPIRED', {
    message: `The deadline passed while the platform had not answered for ${seconds} s.`,
    details: { called: true, reason: 'timeout', unansweredMs },
  });
}
