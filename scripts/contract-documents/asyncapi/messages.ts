import { ERROR_CODES, isCommandType, isFinalReplyType, type Reply, SCHEMA_VERSION } from '#contracts';
import { announcedData, REPLIES } from '#contracts/validation';

import { EXAMPLES } from '../message-examples.ts';
import { count, type JsonSchema, objectOf, reference, text } from '../schemas/json-schema.ts';
import { DATA_SCHEMAS, MESSAGE_NAMES, schemaName } from '../schemas/schemas.ts';

const TRACE = text('W3C trace context.');
const VERSION: JsonSchema = { type: 'integer', const: SCHEMA_VERSION, default: SCHEMA_VERSION };
const PERSISTENT: JsonSchema = { const: 2, description: 'Persistent.' };
const JSON_TYPE: JsonSchema = { const: 'application/json' };
const SECONDS = (description: string): JsonSchema => count(`${description}, in seconds since 1970.`);
const MOMENT = (description: string): JsonSchema => ({ type: 'string', format: 'date-time', description });

/** The accepted texts of the header `x-deadline`. */
const DEADLINES = [/^\d{1,16}$/, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)$/];

/** Application headers of a command. Source: bus contract, section 2. */
export const COMMAND_HEADERS = objectOf(
  {
    operator: { ...text('Whose credentials to use.'), default: 'default' },
    'x-deadline': {
      description: 'When nobody wants the answer any more: ISO 8601 with a zone, or milliseconds since 1970.',
      oneOf: [
        { type: 'integer', minimum: 0 },
        ...DEADLINES.map(({ source }) => ({ type: 'string', pattern: source })),
      ],
    },
    'x-cancel-with-queue': {
      type: 'boolean',
      description: 'For reports: deleting the reply queue cancels the report.',
      default: false,
    },
    'schema-version': VERSION,
    traceparent: TRACE,
    tracestate: TRACE,
  },
  [],
);

const COMMAND_PROPERTIES = objectOf(
  {
    type: text('The command type; default the routing key. It wins over the routing key.'),
    message_id: text("The command's identity, at most 200 bytes: the same id is the same command."),
    correlation_id: text("Comes back on every reply; default the command's id."),
    reply_to: text('The name of a queue of yours, or amq.rabbitmq.reply-to.'),
    content_type: JSON_TYPE,
    delivery_mode: PERSISTENT,
    timestamp: SECONDS('When it was sent'),
    app_id: text("The sender's name."),
  },
  ['reply_to'],
);

/** Application headers of a reply. Source: bus contract, section 3. */
export const REPLY_HEADERS = objectOf(
  {
    'command-id': text("The command's identity."),
    'command-type': text("The command's type, as sent."),
    sequence: count('From 0, over the replies of one command.'),
    final: { type: 'boolean', description: 'Whether this is the last reply.' },
    'schema-version': VERSION,
    traceparent: text('Of the trace of the command, where it had one.'),
  },
  ['command-id', 'command-type', 'sequence', 'final', 'schema-version'],
);

/** Application headers of an announcement, in addition to those of the reply. */
const EVENT_HEADERS = objectOf({
  caller: text('The broker user that sent the command, as the broker checked it, or anonymous.'),
  operator: text('Whose credentials it named.'),
  worker: text('Host name and process id of the worker that answered, as in its log lines.'),
  attempts: count('Calls to the platform for this delivery; 0 for a stored reply that was given again.'),
  'answered-at': MOMENT('When the worker answered.'),
});

const EVENT_EXAMPLE = {
  caller: 'cashier',
  operator: 'default',
  worker: 'worker-1:17',
  attempts: 1,
  'answered-at': '2026-01-31T12:00:00.000Z',
};

const REPLY_PROPERTIES = objectOf({
  type: text("The reply's type."),
  correlation_id: text('As sent.'),
  message_id: text('<command id>:<sequence>, the same when a reply is repeated.'),
  content_type: JSON_TYPE,
  delivery_mode: PERSISTENT,
  timestamp: SECONDS('When it was made'),
  app_id: { const: 'poker-bridge' },
});

/**
 * Headers of a copy, in addition to those of the command; absent if the broker itself dead-lettered it.
 * Source: bus contract, section 5, "Copies".
 */
const COPY_HEADERS = objectOf(
  {
    'x-reason': text('Why it lies here.'),
    'x-failed-at': MOMENT('When it was put here.'),
    'x-failure': text('Of a dead letter, as JSON: reason, pointers, the status of the platform.'),
    'x-origin-queue': text('Where it came from, or was meant to go.'),
    'x-origin-bytes': count('Of a body over MAX_COMMAND_BYTES: its size; the copy holds its first KiB.'),
    'x-origin-user-id': text('The property user_id, which cannot be published for somebody else.'),
    'x-seal': text('Proves to workers that one of them wrote these headers.'),
  },
  [],
);

type Message = Readonly<Record<string, unknown>>;

/** The message that announces each final reply. */
export const ANNOUNCED: ReadonlyMap<string, string> = new Map(
  [...REPLIES.keys()].filter(isFinalReplyType).map((type) => [type, `${type}.announced`]),
);

export const MESSAGES: Readonly<Record<string, Message>> = {
  ...Object.fromEntries(MESSAGE_NAMES.map((name) => [name, ownMessage(name)])),
  ...Object.fromEntries([...ANNOUNCED].map(([reply, name]) => [name, announcement(reply, name)])),
  'dead-letter': copy(
    'A command that will not be retried, with its original body',
    'DeadLetter',
    Object.keys(ERROR_CODES),
  ),
  'undelivered-reply': copy(
    'A reply or an announcement that could not be delivered',
    'UndeliveredReply',
    'REPLY_QUEUE_GONE REPLY_QUEUE_FULL REPLY_QUEUE_UNREACHABLE EVENT_REFUSED'.split(' '),
  ),
};

function ownMessage(name: string): Message {
  const isCommand = isCommandType(name) || name === 'nest.command';
  return {
    name,
    contentType: 'application/json',
    headers: isCommand ? COMMAND_HEADERS : REPLY_HEADERS,
    payload: reference(schemaName(name)),
    // A packet of Nest's client is known by the absence of the property `type`.
    bindings: { amqp: { ...(!name.startsWith('nest.') && { messageType: name }), bindingVersion: '0.3.0' } },
    ...(!isCommand && {
      correlationId: { location: '$message.header#/correlation_id', description: 'The basic property.' },
    }),
    examples: EXAMPLES[name],
    'x-amqp-properties': isCommand ? COMMAND_PROPERTIES : REPLY_PROPERTIES,
  };
}

function announcement(reply: string, name: string): Message {
  const { title, required = [], properties = {} } = DATA_SCHEMAS[schemaName(reply)] ?? {};
  const isPublic = (member: string) => REPLIES.get(reply)?.announced.includes(member);
  const shown = Object.entries(properties).filter(([member]) => isPublic(member));
  const examples = EXAMPLES[reply]?.map((example) => ({
    ...example,
    headers: { ...example.headers, ...EVENT_EXAMPLE },
    payload: announcedData({ type: reply, data: example.payload } as Reply),
  }));
  const headers = {
    title: 'AnnouncementHeaders',
    ...objectOf({ ...REPLY_HEADERS.properties, ...EVENT_HEADERS.properties }, [
      ...(REPLY_HEADERS.required ?? []),
      ...(EVENT_HEADERS.required ?? []),
    ]),
  };
  const payload = {
    title: `${String(title)}Announced`,
    ...objectOf(Object.fromEntries(shown), required.filter(isPublic)),
  };
  return { ...ownMessage(reply), name, headers, payload, examples };
}

function copy(summary: string, title: string, reasons: readonly string[]): Message {
  const { 'x-reason': reason, ...others } = COPY_HEADERS.properties ?? {};
  return {
    summary,
    headers: objectOf({ 'x-reason': { ...reason, enum: reasons }, ...others }, []),
    payload: { title },
  };
}
