/** The kind of failure that a code is; it decides how the command is settled. Source: bus contract, sections 4 and 5. */
export const ERROR_CATEGORIES = [
  'invalid',
  'expired',
  'misconfigured',
  'rejected',
  'unavailable',
  'uncertain',
  'internal',
] as const;
export type ErrorCategory = (typeof ERROR_CATEGORIES)[number];

interface ErrorCodeFacts {
  readonly category: ErrorCategory;
  /** Whether sending the same command again can succeed without anyone changing it. */
  readonly retryable: boolean;
  /** Used if the failure itself has no more exact message. */
  readonly message: string;
}

const codeOf = (category: ErrorCategory, retryable: boolean, message: string): ErrorCodeFacts => ({
  category,
  retryable,
  message,
});
const invalid = (message: string) => codeOf('invalid', false, message);
const misconfigured = (message: string) => codeOf('misconfigured', false, message);
const rejected = (message: string) => codeOf('rejected', false, message);
const unavailable = (message: string) => codeOf('unavailable', true, message);
const internal = (message: string) => codeOf('internal', false, message);

/** Every code that an error body can carry. Source: bus contract, section 4. */
export const ERROR_CODES = {
  MALFORMED_MESSAGE: invalid(
    'The body is not a JSON object in UTF-8. Send the data of the command as one object.',
  ),
  MESSAGE_TOO_LARGE: invalid('The body is larger than this worker accepts (MAX_COMMAND_BYTES).'),
  UNKNOWN_COMMAND: invalid('No command of this type exists. Set the property "type" to a known command.'),
  UNSUPPORTED_VERSION: invalid('This worker does not know that schema version. Send schema-version 1.'),
  VALIDATION_FAILED: invalid('The command is not valid; see the violations.'),
  UNKNOWN_OPERATOR: invalid('No credentials are configured under that operator name.'),
  REPLY_TO_MISSING: invalid('The command names no reply queue. Set the property "reply_to".'),
  REPLY_TO_FORBIDDEN: invalid(
    'The reply queue belongs to the service, or this caller may not name it. Name a queue of your own.',
  ),
  CALLER_FORBIDDEN: invalid(
    'This caller may not use this operator or command. Ask those who run the service (CALLERS_FILE).',
  ),
  IDEMPOTENCY_CONFLICT: invalid('This message id was used for another command. Use a new id for new data.'),
  COMMAND_EXPIRED: codeOf('expired', false, 'The deadline passed before an outcome.'),
  SIGNATURE_REJECTED: misconfigured(
    'The platform refused the signature. Check the secret key and the signature settings of this operator.',
  ),
  SECRET_KEY_MISSING: misconfigured('This operator has no secret key, which this operation needs.'),
  FORBIDDEN: misconfigured('The platform refuses this operator. Check its rights and the allowed addresses.'),
  UNEXPECTED_REDIRECT: misconfigured(
    'The platform answered with a redirect, which is never followed. Check the URL.',
  ),
  BAD_REQUEST: rejected('The platform refused the request.'),
  PLAYER_NOT_FOUND: rejected('The platform knows no such player.'),
  NOT_FOUND: rejected('The platform has no such resource.'),
  AUTH_TYPE_INVALID: rejected('Auth type not valid'),
  CURRENCY_REQUIRED: rejected('Currency cannot be blank'),
  CURRENCY_NOT_FOUND: rejected('Currency not found'),
  CURRENCY_INACTIVE: rejected('This currency is not active'),
  NICKNAME_TAKEN: rejected('A Player with this username already exists in the system.'),
  NICKNAME_TOO_LONG: rejected('The nickname is longer than the platform allows.'),
  INCORRECT_DATA: rejected('The platform refused the data of the command.'),
  RATE_LIMITED: unavailable('The platform asks for fewer requests. Send the command again later.'),
  PLATFORM_UNAVAILABLE: unavailable(
    'The platform could not be reached or failed. Send the command again later.',
  ),
  CIRCUIT_OPEN: unavailable(
    'The platform has been failing, so it was not called. Send the command again later.',
  ),
  OVERLOADED: unavailable(
    'This worker has too many calls waiting for the platform. Send the command again later.',
  ),
  REPLY_QUEUE_FULL: codeOf(
    'expired',
    true,
    'The reply queue refused the pages of the report for too long. Read it faster or raise its limit.',
  ),
  OUTCOME_UNKNOWN: codeOf(
    'uncertain',
    true,
    'The call was sent and its answer was lost: the platform may have done it. Send the same command again.',
  ),
  PLATFORM_PROTOCOL_ERROR: codeOf(
    'uncertain',
    false,
    'The platform reported success with a document that its interface does not describe.',
  ),
  POISON_COMMAND: internal(
    'The command was started several times and never finished. It lies in the dead letters.',
  ),
  INTERNAL_ERROR: internal('A fault of this service. Its log has the cause under the id of the command.'),
} as const satisfies Record<string, ErrorCodeFacts>;

export type ErrorCode = keyof typeof ERROR_CODES;
