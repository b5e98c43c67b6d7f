import { ERROR_CODES, type ErrorBody, type ErrorCode, isFinalReplyType } from '#contracts';
import { COMMANDS, REPLIES, type ReplyDefinition } from '#contracts/validation';

/** One example of a message: its body, and the headers that it travels with. */
export interface Example<T = unknown> {
  readonly name: string;
  readonly summary: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly payload: T;
}

const EXAMPLE_ID = '0197a3f2-6c1e-7b54-9d0a-2f6b8f1c4e11';

/** Commands as a caller sends them. */
const COMMAND_EXAMPLES = examplesOf(COMMANDS, () => ({}));

/** Replies that are successes, as a worker sends them. */
const REPLY_EXAMPLES = examplesOf([...REPLIES.values()], (type) => {
  const command = COMMANDS.find(({ replies }) => replies.some((reply) => reply.type === type));
  return replyHeaders(command?.type, isFinalReplyType(type));
});

function examplesOf(
  messages: readonly (Pick<ReplyDefinition, 'examples'> & { readonly type: string })[],
  headersOf: (type: string) => object,
): Readonly<Record<string, readonly Example[]>> {
  const entries = messages.map(({ type, examples }) => {
    const made = examples.map(({ data, headers, ...about }) => ({
      ...about,
      headers: { ...headersOf(type), ...headers },
      payload: data,
    }));
    return [type, made] as const;
  });
  return Object.fromEntries(entries);
}

/** The headers of a first reply. Source: bus contract, section 3. */
function replyHeaders(type: string | undefined, final: boolean): Record<string, unknown> {
  return { 'command-id': EXAMPLE_ID, 'command-type': type, sequence: 0, final, 'schema-version': 1 };
}

/** When a code comes: of which command (default `session.create`), and what is known beyond the code (`attempts`: 0). */
type Occasion = Partial<ErrorBody> & { readonly type?: string };

/** The answers of the platform that the interface document shows. */
const ERROR_OCCASIONS: Readonly<Partial<Record<ErrorCode, Occasion>>> = {
  MESSAGE_TOO_LARGE: { type: 'game.open', details: { bytes: 70_000, maxBytes: 65_536 } },
  UNKNOWN_COMMAND: { type: 'session.craete' },
  VALIDATION_FAILED: {
    violations: [
      {
        pointer: '/password',
        message: 'is not a member here; the members are userId, nick, authType, lang, currency',
      },
      { pointer: '/lang', message: 'must be an ISO 639-1 code of two letters' },
    ],
  },
  CALLER_FORBIDDEN: { type: 'report.rake.fetch' },
  IDEMPOTENCY_CONFLICT: { type: 'game.open' },
  COMMAND_EXPIRED: { attempts: 1, details: { called: true } },
  SIGNATURE_REJECTED: answered(400, 'Bad Request', 'Not Valid Request Signature'),
  FORBIDDEN: answered(403, 'Forbidden', 'Forbidden'),
  UNEXPECTED_REDIRECT: { attempts: 1, platform: { status: 302, errors: [] } },
  BAD_REQUEST: answered(400, 'Bad Request', 'Bad Request', { type: 'report.rake.fetch' }),
  PLAYER_NOT_FOUND: answered(404, 'Not Found', 'Player not found'),
  NOT_FOUND: { type: 'game.open', attempts: 1, platform: { status: 404, errors: [] } },
  AUTH_TYPE_INVALID: unprocessable('Auth type not valid', 'authType'),
  CURRENCY_REQUIRED: unprocessable('Currency cannot be blank', 'currency'),
  CURRENCY_NOT_FOUND: unprocessable('Currency not found', 'currency'),
  CURRENCY_INACTIVE: unprocessable('This currency is not active', 'currency'),
  NICKNAME_TAKEN: unprocessable('A Player with this username already exists in the system.', 'player/nick', {
    type: 'game.open',
    attempts: 2,
    details: { earlierAttemptUnknown: true },
  }),
  NICKNAME_TOO_LONG: unprocessable('The maximum username length is 32', 'player/nick', {
    type: 'game.open',
    details: { maxLength: 32 },
  }),
  INCORRECT_DATA: unprocessable('Incorrect data', 'sort', { type: 'report.rake.fetch' }),
  RATE_LIMITED: { attempts: 3, retryAfterMs: 2_000, platform: { status: 429, errors: [] } },
  PLATFORM_UNAVAILABLE: { attempts: 3, details: { reason: 'refused' } },
  CIRCUIT_OPEN: { retryAfterMs: 4_200 },
  REPLY_QUEUE_FULL: { type: 'report.ad-hoc.fetch', attempts: 2, details: { queue: 'full' } },
  OUTCOME_UNKNOWN: { attempts: 2, details: { reason: 'timeout' } },
  PLATFORM_PROTOCOL_ERROR: { attempts: 1, details: { reason: 'the body is not JSON' } },
  POISON_COMMAND: { type: 'game.open' },
};

/** An error body for each code, with what a worker knows when it answers with it. */
export const ERROR_EXAMPLES: readonly Example<ErrorBody>[] = (Object.keys(ERROR_CODES) as ErrorCode[]).map(
  (code) => {
    const { type = 'session.create', attempts = 0, ...facts } = ERROR_OCCASIONS[code] ?? {};
    const known = { code, ...ERROR_CODES[code], ...facts, attempts };
    const payload = { ...known, command: { id: EXAMPLE_ID, type }, occurredAt: '2026-01-31T12:00:00.000Z' };
    return { name: code, summary: payload.message, headers: replyHeaders(type, true), payload };
  },
);

function answered(status: number, title: string, detail: string, more: Occasion = {}): Occasion {
  return { attempts: 1, ...more, platform: { status, errors: [{ status, title, detail }] } };
}

function unprocessable(detail: string, attribute: string, more: Occasion = {}): Occasion {
  const fault = {
    status: 422,
    title: 'Unprocessable Entity',
    detail,
    pointer: `/data/attributes/${attribute}`,
  };
  return { attempts: 1, ...more, platform: { status: 422, errors: [fault] } };
}

/** Packets of Nest's own RabbitMQ client, one for each command. */
const PACKET_EXAMPLES = firstOf(COMMAND_EXAMPLES).map(({ name, headers, payload }) => ({
  name,
  summary: `client.send('${name}', …)`,
  headers,
  payload: { pattern: name, data: payload, id: EXAMPLE_ID },
}));

/** Packets that answer them: one for each reply, and a failure. */
const PACKET_REPLY_EXAMPLES = [
  ...firstOf(REPLY_EXAMPLES).map((example) => {
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

/** The first example of each message that has one, under the name of the message. */
function firstOf(examples: Readonly<Record<string, readonly Example[]>>): readonly Example[] {
  return Object.entries(examples).flatMap(([name, [first]]) => (first ? [{ ...first, name }] : []));
}

/** Examples of each message by the name of its schema. */
export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  ...COMMAND_EXAMPLES,
  ...REPLY_EXAMPLES,
  'command.failed': ERROR_EXAMPLES,
  'nest.command': PACKET_EXAMPLES,
  'nest.reply': PACKET_REPLY_EXAMPLES,
};
