import type { ErrorBody, ErrorCategory, ErrorCode, PlatformAnswer, Violation } from '@poker-bridge/contracts';

const MISCONFIGURED = { category: 'misconfigured', retryable: false } as const;
const UNAVAILABLE = { category: 'unavailable', retryable: true } as const;

/** Why a call failed on this side of the bus. What the worker answers has the codes of `ERROR_CODES`. */
export const CALLER_CODES = {
  NO_WORKER: {
    ...MISCONFIGURED,
    message: 'No queue takes this command: no worker with this prefix has connected to this virtual host.',
  },
  NOT_SENT: {
    ...UNAVAILABLE,
    message: 'The broker did not confirm the command before its deadline.',
  },
  NOT_PERMITTED: { ...MISCONFIGURED, message: 'The broker refuses what this user publishes.' },
  LOGIN_REFUSED: {
    ...MISCONFIGURED,
    message: 'The broker refuses this user, its password or the virtual host.',
  },
  INSTANCE_TAKEN: {
    ...MISCONFIGURED,
    message: 'Another process is this instance of the caller; each needs one of its own.',
  },
  NOT_CONNECTED: { ...UNAVAILABLE, message: 'There was no connection to the broker in time.' },
  NO_REPLY: {
    category: 'uncertain',
    retryable: true,
    message: 'No reply came in time; the command may have been run. Send it again under the same id.',
  },
  REPLY_LOST: {
    ...UNAVAILABLE,
    message: 'A page of the report was lost on its way. Fetch it again.',
  },
  REPLY_UNREADABLE: {
    category: 'uncertain',
    retryable: false,
    message: 'The reply is not one that this version can read.',
  },
  ID_IN_USE: {
    category: 'invalid',
    retryable: false,
    message: 'A command with this id is under way. Await that one.',
  },
  TOO_MANY_CALLS: {
    ...UNAVAILABLE,
    message: 'This caller has too many calls under way. Call again later.',
  },
  CALLER_CLOSED: {
    category: 'uncertain',
    retryable: false,
    message: 'This caller was closed; the command may have been sent.',
  },
} as const satisfies Record<string, Pick<ErrorBody, 'category' | 'retryable' | 'message'>>;

/** Every code that a call can fail with. */
export type CallerErrorCode = ErrorCode | keyof typeof CALLER_CODES;

/** What is known of a failure. */
type Facts = Pick<CallerError, 'code' | 'category' | 'retryable' | 'message'> & Partial<CallerError>;

/**
 * How a call fails. Decide by `code`: those of `ERROR_CODES` are the worker's answer, and `VALIDATION_FAILED` also
 * this library's, of an id that cannot be sent; those of `CALLER_CODES` are faults on this side of the bus. The message is a
 * sentence for people and holds no value of the command.
 */
export class CallerError extends Error {
  override readonly name = 'CallerError';
  readonly code!: CallerErrorCode;
  /** The kind of the failure, for a service that decides by less than the code. */
  readonly category!: ErrorCategory;
  /** Whether the same command, sent again under the same id, can succeed without anyone changing it. */
  readonly retryable!: boolean;
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

  private constructor({ message, ...facts }: Facts) {
    super(message);
    Object.assign(this, facts);
  }

  /**
   * A fault on this side of the bus.
   *
   * @param hint a further sentence
   */
  static of(code: keyof typeof CALLER_CODES, commandId?: string, hint?: string): CallerError {
    const { message, ...facts } = CALLER_CODES[code];
    return new CallerError({ ...facts, code, message: hint ? `${message} ${hint}` : message, commandId });
  }

  /** What a worker answered: the data of `command.failed`. */
  static ofReply(answer: ErrorBody): CallerError {
    const { code, category, retryable, message, retryAfterMs, violations, details, platform } = answer;
    const decision = { code, category, retryable, message, retryAfterMs };
    return new CallerError({
      ...decision,
      violations,
      details,
      platform,
      commandId: answer.command.id,
      answer,
    });
  }

  /** A command that no message can hold. */
  static ofInvalid(violations: readonly Violation[]): CallerError {
    const message = 'The command is not valid; see the violations.';
    return new CallerError({
      code: 'VALIDATION_FAILED',
      category: 'invalid',
      retryable: false,
      message,
      violations,
    });
  }
}
