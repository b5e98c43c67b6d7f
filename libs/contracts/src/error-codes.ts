/**
 * Every code of an error body, grouped by category, with its default message. The category decides how
 * the command is settled. Source: bus contract, sections 4 and 5.
 */
const MESSAGES = {
  invalid: {
    MALFORMED_MESSAGE: 'The body is not a JSON object in UTF-8. Send the data of the command as one object.',
    MESSAGE_TOO_LARGE: 'The body is larger than this worker accepts (MAX_COMMAND_BYTES).',
    UNKNOWN_COMMAND: 'No command of this type exists. Set the property "type" to a known command.',
    UNSUPPORTED_VERSION: 'This worker does not know that schema version. Send schema-version 1.',
    VALIDATION_FAILED: 'The command is not valid; see the violations.',
    UNKNOWN_OPERATOR: 'No credentials are configured under that operator name.',
    REPLY_TO_MISSING: 'The command names no reply queue. Set the property "reply_to".',
    REPLY_TO_FORBIDDEN:
      'The reply queue belongs to the service, or this caller may not name it. Name a queue of your own.',
    CALLER_FORBIDDEN:
      'This caller may not use this operator or command. Ask those who run the service (CALLERS_FILE).',
    IDEMPOTENCY_CONFLICT: 'This message id was used for another command. Use a new id for new data.',
  },
  expired: {
    COMMAND_EXPIRED: 'The deadline passed before an outcome.',
    REPLY_QUEUE_FULL:
      'The reply queue refused the pages of the report for too long. Read it faster or raise its limit.',
  },
  misconfigured: {
    SIGNATURE_REJECTED:
      'The platform refused the signature. Check the secret key and the signature settings of this operator.',
    SECRET_KEY_MISSING: 'This operator has no secret key, which this operation needs.',
    FORBIDDEN: 'The platform refuses this operator. Check its rights and the allowed addresses.',
    UNEXPECTED_REDIRECT: 'The platform answered with a redirect, which is never followed. Check the URL.',
  },
  rejected: {
    BAD_REQUEST: 'The platform refused the request.',
    PLAYER_NOT_FOUND: 'The platform knows no such player.',
    NOT_FOUND: 'The platform has no such resource.',
    AUTH_TYPE_INVALID: 'Auth type not valid',
    CURRENCY_REQUIRED: 'Currency cannot be blank',
    CURRENCY_NOT_FOUND: 'Currency not found',
    CURRENCY_INACTIVE: 'This currency is not active',
    NICKNAME_TAKEN: 'A Player with this username already exists in the system.',
    NICKNAME_TOO_LONG: 'The nickname is longer than the platform allows.',
    INCORRECT_DATA: 'The platform refused the data of the command.',
  },
  unavailable: {
    RATE_LIMITED: 'The platform asks for fewer requests. Send the command again later.',
    PLATFORM_UNAVAILABLE: 'The platform could not be reached or failed. Send the command again later.',
    CIRCUIT_OPEN: 'The platform has been failing, so it was not called. Send the command again later.',
    OVERLOADED: 'This worker has too many calls waiting for the platform. Send the command again later.',
  },
  uncertain: {
    OUTCOME_UNKNOWN:
      'The call was sent and its answer was lost: the platform may have done it. Send the same command again.',
    PLATFORM_PROTOCOL_ERROR:
      'The platform reported success with a document that its interface does not describe.',
  },
  internal: {
    POISON_COMMAND: 'The command was started several times and never finished. It lies in the dead letters.',
    INTERNAL_ERROR: 'A fault of this service. Its log has the cause under the id of the command.',
  },
} as const;

export type ErrorCategory = keyof typeof MESSAGES;
export type ErrorCode = { [C in ErrorCategory]: keyof (typeof MESSAGES)[C] }[ErrorCategory];

export const ERROR_CATEGORIES = Object.keys(MESSAGES) as readonly ErrorCategory[];

interface ErrorCodeFacts {
  readonly category: ErrorCategory;
  /** True if sending the same command again, unchanged, can succeed. */
  readonly retryable: boolean;
  readonly message: string;
}

const RETRYABLE = new Set([...Object.keys(MESSAGES.unavailable), 'REPLY_QUEUE_FULL', 'OUTCOME_UNKNOWN']);

/** The category, retryability and default message of every code. */
export const ERROR_CODES = Object.fromEntries(
  ERROR_CATEGORIES.flatMap((category) =>
    Object.entries(MESSAGES[category]).map(([code, message]) => [
      code,
      { category, retryable: RETRYABLE.has(code), message },
    ]),
  ),
) as Readonly<Record<ErrorCode, ErrorCodeFacts>>;
