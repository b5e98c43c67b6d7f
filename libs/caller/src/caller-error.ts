import {
  ERROR_CODES,
  type ErrorBody,
  type ErrorCategory,
  type ErrorCode,
  type PlatformAnswer,
  type Violation,
} from '@poker-bridge/contracts';

const kindOf = (category: ErrorCategory, retryable: boolean) => (message: string) =>
  ({ category, retryable, message }) satisfies Partial<ErrorBody>;
const invalid = kindOf('invalid', false);
const misconfigured = kindOf('misconfigured', false);
const unavailable = kindOf('unavailable', true);
const uncertain = kindOf('uncertain', false);
const unanswered = kindOf('uncertain', true);

/** Errors raised by this library. The worker's error replies have the codes of `ERROR_CODES`. */
export const CALLER_CODES = {
  NO_WORKER: misconfigured(
    'No queue takes this command: no worker with this prefix has connected to this virtual host.',
  ),
  NOT_SENT: unavailable('The broker did not confirm the command before its deadline.'),
  NOT_PERMITTED: misconfigured('The broker refuses what this user publishes.'),
  LOGIN_REFUSED: misconfigured('The broker refuses this user, its password or the virtual host.'),
  INSTANCE_TAKEN: misconfigured('Another process is this instance of the caller; each needs one of its own.'),
  NOT_CONNECTED: unavailable('There was no connection to the broker in time.'),
  NO_REPLY: unanswered(
    'No reply came in time; the command may have been run. Send it again under the same id.',
  ),
  REPLY_LOST: unavailable('A page of the report was lost on its way. Fetch it again.'),
  REPLY_UNREADABLE: uncertain('The reply is not one that this version can read.'),
  ID_IN_USE: invalid(
    'A command of another operator with this id is in flight in this process. Use another id.',
  ),
  TOO_MANY_CALLS: unavailable('This caller has too many calls under way. Call again later.'),
  CALLER_CLOSED: uncertain('This caller was closed; the command may have been sent.'),
};

export type CallerErrorCode = ErrorCode | keyof typeof CALLER_CODES;

/** Shared by the ES module and the CommonJS build of this package, because a process may load both. */
const IS_CALLER_ERROR = Symbol.for('@poker-bridge/caller:CallerError');

type Facts = Pick<CallerError, 'code' | 'category' | 'retryable' | 'message'> & Partial<CallerError>;

/**
 * The error of a failed call. Decide by `code`: the worker replies with one of `ERROR_CODES`, and this
 * library raises those of `CALLER_CODES`. This library also raises `VALIDATION_FAILED`, for an id that cannot
 * be sent. The message contains no value of the command.
 */
export class CallerError extends Error {
  override readonly name = 'CallerError';
  readonly code!: CallerErrorCode;
  readonly category!: ErrorCategory;
  /** True if the same command can succeed when it is sent again with the same id. */
  readonly retryable!: boolean;
  readonly retryAfterMs: number | undefined;
  /**
   * The validation errors, each with a JSON pointer into the data, the `/properties` or the `/headers` of the
   * command.
   */
  readonly violations: readonly Violation[] | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly platform: PlatformAnswer | undefined;
  /** The command id, for resending the command and for finding it in the worker's log. */
  readonly commandId: string | undefined;
  /** The worker's complete error reply; undefined for errors raised by this library. */
  readonly answer: ErrorBody | undefined;

  constructor({ message, ...facts }: Facts) {
    super(message);
    Object.assign(this, facts);
  }

  get [IS_CALLER_ERROR](): true {
    return true;
  }

  /** True as well for an error of this class in the other module system's copy. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && IS_CALLER_ERROR in value;
  }

  /** Returns an error raised by this library; `hint` is appended to the message as a further sentence. */
  static of(code: CallerErrorCode, commandId?: string, hint?: string): CallerError {
    const { message, ...facts } = { ...ERROR_CODES, ...CALLER_CODES }[code];
    return new CallerError({ ...facts, code, message: hint ? `${message} ${hint}` : message, commandId });
  }

  /** Returns the error for a worker's error reply, the data of `command.failed`. */
  static ofReply(answer: ErrorBody): CallerError {
    const { attempts: _, command, occurredAt: _at, ...facts } = answer;
    return new CallerError({ ...facts, commandId: command.id, answer });
  }
}
