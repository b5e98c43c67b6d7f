import type { PlatformAnswer, Violation } from './replies/command-failed.ts';
import { ERROR_CODES, type ErrorCategory, type ErrorCode } from './error-codes.ts';

/** Facts that a failure can state beyond its code; each member is in the error body if it is given. */
export interface CommandErrorFacts {
  /** Default: the sentence of the code's row in `ERROR_CODES`. */
  readonly message?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly violations?: readonly Violation[] | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly platform?: PlatformAnswer | undefined;
  /** For the log alone; never on the wire. */
  readonly cause?: unknown;
}

/** How a command fails: a code of `ERROR_CODES` and what is known about the failure. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code: ErrorCode;
  readonly retryAfterMs: number | undefined;
  readonly violations: readonly Violation[] | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly platform: PlatformAnswer | undefined;

  constructor(code: ErrorCode, facts: CommandErrorFacts = {}) {
    super(
      facts.message ?? ERROR_CODES[code].message,
      facts.cause === undefined ? {} : { cause: facts.cause },
    );
    this.code = code;
    this.retryAfterMs = facts.retryAfterMs;
    this.violations = facts.violations;
    this.details = facts.details;
    this.platform = facts.platform;
  }

  get category(): ErrorCategory {
    return ERROR_CODES[this.code].category;
  }

  get retryable(): boolean {
    return ERROR_CODES[this.code].retryable;
  }
}
