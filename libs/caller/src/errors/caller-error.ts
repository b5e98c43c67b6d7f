import type { ErrorBody, ErrorCategory, PlatformAnswer, Violation } from '@poker-bridge/contracts';

import { CALLER_CODES, type CallerErrorCode } from './caller-codes.ts';

/** What is known of a failure beyond its code. */
interface CallerErrorFacts {
  readonly message: string;
  readonly category: ErrorCategory;
  readonly retryable: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly violations?: readonly Violation[] | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly platform?: PlatformAnswer | undefined;
  readonly commandId?: string | undefined;
  readonly answer?: ErrorBody | undefined;
}

/**
 * How a call fails. Decide by `code`: those of `ERROR_CODES` are the worker's answer, and `VALIDATION_FAILED` also
 * this library's, of an id that cannot be sent; those of `CALLER_CODES` are faults on this side of the bus. The message is a
 * sentence for people and holds no value of the command.
 */
export class CallerError extends Error {
  override readonly name = 'CallerError';
  readonly code: CallerErrorCode;
  /** The kind of the failure, for a service that decides by less than the code. */
  readonly category: ErrorCategory;
  /** Whether the same command, sent again under the same id, can succeed without anyone changing it. */
  readonly retryable: boolean;
  /** How long to wait before that, if known. */
  readonly retryAfterMs: number | undefined;
  /** Each fault of the command, at a JSON pointer into its data, its `/properties` or its `/headers`. */
  readonly violations: readonly Violation[] | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  /** What the platform answered. */
  readonly platform: PlatformAnswer | undefined;
  /** To send the same command again, and to find it in the worker's log. */
  readonly commandId: string | undefined;
  /** What the worker answered, whole; absent on a fault on this side of the bus. */
  readonly answer: ErrorBody | undefined;

  private constructor(code: CallerErrorCode, facts: CallerErrorFacts) {
    super(facts.message);
    this.code = code;
    this.category = facts.category;
    this.retryable = facts.retryable;
    this.retryAfterMs = facts.retryAfterMs;
    this.violations = facts.violations;
    this.details = facts.details;
    this.platform = facts.platform;
    this.commandId = facts.commandId;
    this.answer = facts.answer;
  }

  /**
   * A fault on this side of the bus.
   *
   * @param hint a further sentence
   */
  static of(code: keyof typeof CALLER_CODES, commandId?: string, hint?: string): CallerError {
    const { message, ...facts } = CALLER_CODES[code];
    return new CallerError(code, { ...facts, message: hint ? `${message} ${hint}` : message, commandId });
  }

  /** What a worker answered: the data of `command.failed`. */
  static ofReply(body: ErrorBody): CallerError {
    return new CallerError(body.code, { ...body, commandId: body.command.id, answer: body });
  }

  /** A command that no message can hold. */
  static ofInvalid(violations: readonly Violation[]): CallerError {
    const message = 'The command is not valid; see the violations.';
    return new CallerError('VALIDATION_FAILED', {
      message,
      category: 'invalid',
      retryable: false,
      violations,
    });
  }
}
