import { STATUS_CODES } from 'node:http';

import { ERROR_CODES, type ErrorBody, type ErrorCode, isCommandType, isFinalReplyType } from '#contracts';
import { type CommandDefinition, COMMANDS, REPLIES, type ReplyDefinition } from '#contracts/validation';

export interface Example<T = unknown> {
  readonly name: string;
  readonly summary: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly payload: T;
}

const EXAMPLE_ID = '0197a3f2-6c1e-7b54-9d0a-2f6b8f1c4e11';

const MESSAGE_EXAMPLES = new Map(
  [...COMMANDS, ...REPLIES.values()].map((message: CommandDefinition | ReplyDefinition) => {
    const type: string = message.type;
    const command = COMMANDS.find(({ replies }) => replies.some((reply) => reply.type === type));
    const own = isCommandType(type) ? {} : replyHeaders(command?.type, isFinalReplyType(type));
    const made = message.examples.map(({ data, headers, ...about }): Example => ({
      ...about,
      headers: { ...own, ...headers },
      payload: data,
    }));
    return [type, made] as const;
  }),
);

/** The headers of a first reply. Source: bus contract, section 3. */
function replyHeaders(type: string | undefined, final: boolean): Record<string, unknown> {
  return { 'command-id': EXAMPLE_ID, 'command-type': type, sequence: 0, final, 'schema-version': 1 };
}

/**
 * The circumstances of a code: its command (default: `session.create`), and the further details of the error.
 */
type Occasion = Partial<ErrorBody> & { readonly type?: string };

const GAME: Occasion = { type: 'game.open' };
const RAKE: Occasion = { type: 'report.rake.fetch' };

/** The platform's answers are taken from the interface document. */
const ERROR_OCCASIONS: Readonly<Partial<Record<ErrorCode, Occasion>>> = {
  MESSAGE_TOO_LARGE: { ...GAME, details: { bytes: 70_000, maxBytes: 65_536 } },
  UNKNOWN_COMMAND: { type: 'session.craete' },
  VALIDATION_FAILED: {
    violations: [
      {
        pointer: '/password',
        message: 'is not a member here; the members are userId, nick, authType, lang, currency, extra',
      },
      { pointer: '/lang', message: 'must be an ISO 639-1 code of two letters' },
    ],
  },
  CALLER_FORBIDDEN: RAKE,
  IDEMPOTENCY_CONFLICT: GAME,
  COMMAND_EXPIRED: { attempts: 1, details: { called: true } },
  SIGNATURE_REJECTED: answered(400, 'Not Valid Request Signature'),
  FORBIDDEN: answered(403, 'Forbidden'),
  UNEXPECTED_REDIRECT: answered(302),
  BAD_REQUEST: { ...RAKE, ...answered(400, 'Bad Request') },
  PLAYER_NOT_FOUND: answered(404, 'Player not found'),
  NOT_FOUND: { ...GAME, ...answered(404) },
  AUTH_TYPE_INVALID: answered(422, 'Auth type not valid', 'authType'),
  CURRENCY_REQUIRED: answered(422, 'Currency cannot be blank', 'currency'),
  CURRENCY_NOT_FOUND: answered(422, 'Currency not found', 'currency'),
  CURRENCY_INACTIVE: answered(422, 'This currency is not active', 'currency'),
  NICKNAME_TAKEN: {
    ...GAME,
    details: { earlierAttemptUnknown: true },
    ...answered(422, 'A Player with this username already exists in the system.', 'player/nick'),
    attempts: 2,
  },
  NICKNAME_TOO_LONG: {
    ...GAME,
    details: { maxLength: 32 },
    ...answered(422, 'The maximum username length is 32', 'player/nick'),
  },
  INCORRECT_DATA: { ...RAKE, ...answered(422, 'Incorrect data', 'sort') },
  RATE_LIMITED: { retryAfterMs: 2_000, ...answered(429), attempts: 3 },
  PLATFORM_UNAVAILABLE: { attempts: 3, details: { reason: 'refused' } },
  CIRCUIT_OPEN: { retryAfterMs: 4_200 },
  REPLY_QUEUE_FULL: { type: 'report.ad-hoc.fetch', attempts: 2, details: { queue: 'full' } },
  OUTCOME_UNKNOWN: { attempts: 2, details: { reason: 'timeout' } },
  PLATFORM_PROTOCOL_ERROR: { attempts: 1, details: { reason: 'the body is not JSON' } },
  POISON_COMMAND: GAME,
};

function answered(status: number, detail?: string, attribute?: string): Occasion {
  const title = STATUS_CODES[status] as string;
  const pointer = attribute && { pointer: `/data/attributes/${attribute}` };
  const errors = detail === undefined ? [] : [{ status, title, detail, ...pointer }];
  return { attempts: 1, platform: { status, errors } };
}

/** An error body for each code, with the details that a worker adds. */
export const ERROR_EXAMPLES: readonly Example<ErrorBody>[] = (Object.keys(ERROR_CODES) as ErrorCode[]).map(
  (code) => {
    const { type = 'session.create', attempts = 0, ...facts } = ERROR_OCCASIONS[code] ?? {};
    const known = { code, ...ERROR_CODES[code], ...facts, attempts };
    const payload = { ...known, command: { id: EXAMPLE_ID, type }, occurredAt: '2026-01-31T12:00:00.000Z' };
    return { name: code, summary: payload.message, headers: replyHeaders(type, true), payload };
  },
);

/** The first example of each command and each success, under its type. */
const FIRST_EXAMPLES = [...MESSAGE_EXAMPLES].flatMap(([name, [first]]) =>
  first ? [{ ...first, name }] : [],
);

/** Packets of Nest's own RabbitMQ client, one for each command. */
const PACKET_EXAMPLES = FIRST_EXAMPLES.filter(({ name }) => isCommandType(name)).map((example) => ({
  ...example,
  summary: `client.send('${example.name}', …)`,
  payload: { pattern: example.name, data: example.payload, id: EXAMPLE_ID },
}));

/** Packets with replies: one for each type of reply, and a failure. */
const PACKET_REPLY_EXAMPLES = [
  ...FIRST_EXAMPLES.filter(({ name }) => !isCommandType(name)).map((example) => {
    const isLast = example.headers['final'] === true;
    const payload = { response: example.payload, ...(isLast && { isDisposed: true }), id: EXAMPLE_ID };
    return { ...example, payload };
  }),
  ...ERROR_EXAMPLES.filter(({ name }) => name === 'VALIDATION_FAILED').map((example) => ({
    ...example,
    name: 'command.failed',
    payload: { err: example.payload, isDisposed: true, id: EXAMPLE_ID },
  })),
];

export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  ...Object.fromEntries(MESSAGE_EXAMPLES),
  'command.failed': ERROR_EXAMPLES,
  'nest.command': PACKET_EXAMPLES,
  'nest.reply': PACKET_REPLY_EXAMPLES,
};
