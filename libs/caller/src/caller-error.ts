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

/** Why a call failed on this side of the bus. What the worker answers has the codes of `ERROR_CODES`. */
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

/** Shared by the ES modules and the CommonJS of this package, of which a process may load both. */
const IS_CALLER_ERROR = Symbol.for('@poker-bridge/caller:CallerError');

type Facts = Pick<CallerError, 'code' | 'category' | 'retryable' | 'message'> & Partial<CallerError>;

/**
 * How a call fails. Decide by `code`: one of `ERROR_CODES` is the worker's answer (`VALIDATION_FAILED` also this library's, of
 * an id that cannot be sent), one of `CALLER_CODES` a fault on this side of the bus. The message holds no value of the command.
 */
export class CallerError extends Error {
  override readonly name = 'CallerError';
  readonly code!: CallerErrorCode;
  readonly category!: ErrorCategory;
  /** Whether the same command, sent again under the same id, can succeed without anyone changing it. */
  readonly retryable!: boolean;
  readonly retryAfterMs: number | undefined;
  /** Each fault of the command, at a JSON pointer into its data, its `/properties` or its `/headers`. */
  readonly violations: readonly Violation[] | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly platform: PlatformAnswer | undefined;
  /** To send the same command again, and to find it in the worker's log. */
  readonly commandId: string | undefined;
  /** What the worker answered, whole; absent on a fault on this side of the bus. */
  readonly answer: ErrorBody | undefined;

  constructor({ message, ...facts }: Facts) {
    super(message);
    Object.assign(this, facts);
  }

  get [IS_CALLER_ERROR](): true {
    return true;
  }

  /** True also for an error of the other module system's copy of this class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && IS_CALLER_ERROR in value;
  }

  /** Returns the error that this library finds before or instead of the worker; `hint` is a further sentence. */
  static of(code: CallerErrorCode, commandId?: string, hint?: string): CallerError {
    const { message, ...facts } = { ...ERROR_CODES, ...CALLER_CODES }[code];
    return new CallerError({ ...facts, code, message: hint ? `${message} ${hint}` : message, commandId });
  }

  /** What a worker answered: the data of `command.failed`. */
  static ofReply(answer: ErrorBody): CallerError {
    const { attempts: _, command, occurredAt: _at, ...facts } = answer;
    return new CallerError({ ...facts, commandId: command.id, answer });
  }
}
