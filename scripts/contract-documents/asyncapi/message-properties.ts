import { SCHEMA_VERSION } from '#contracts';

import { boolean, count, type JsonSchema, moment, text } from '../schemas/json-schema.ts';

const TRACE = text('W3C trace context.');
const VERSION: JsonSchema = { type: 'integer', const: SCHEMA_VERSION, default: SCHEMA_VERSION };
const PERSISTENT: JsonSchema = { const: 2, description: 'Persistent.' };
const JSON_TYPE: JsonSchema = { const: 'application/json' };
const SECONDS = (description: string): JsonSchema => count(`${description}, in seconds since 1970.`);

/** Application headers of a command. Source: bus contract, section 2. */
export const COMMAND_HEADERS: JsonSchema = {
  type: 'object',
  properties: {
    operator: { ...text('Whose credentials to use.'), default: 'default' },
    'x-deadline': {
      description: 'When nobody wants the answer any more: ISO 8601 with a zone, or milliseconds since 1970.',
      oneOf: [
        { type: 'integer', minimum: 0 },
        { type: 'string', pattern: String.raw`^\d{1,16}$` },
        {
          type: 'string',
          pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$`,
        },
      ],
    },
    'schema-version': VERSION,
    traceparent: TRACE,
    tracestate: TRACE,
  },
};

/** Basic properties of a command. */
export const COMMAND_PROPERTIES: JsonSchema = {
  type: 'object',
  required: ['reply_to'],
  properties: {
    type: text('The command type; default the routing key. It wins over the routing key.'),
    message_id: text("The command's identity, at most 200 bytes: the same id is the same command."),
    correlation_id: text("Comes back on every reply; default the command's id."),
    reply_to: text('The name of a queue of yours, or amq.rabbitmq.reply-to.'),
    content_type: JSON_TYPE,
    delivery_mode: PERSISTENT,
    timestamp: SECONDS('When it was sent'),
    app_id: text("The sender's name."),
  },
};

/** Application headers of a reply. Source: bus contract, section 3. */
export const REPLY_HEADERS: JsonSchema = {
  type: 'object',
  required: ['command-id', 'command-type', 'sequence', 'final', 'schema-version'],
  properties: {
    'command-id': text("The command's identity."),
    'command-type': text("The command's type, as sent."),
    sequence: count('From 0, over the replies of one command.'),
    final: boolean('Whether this is the last reply.'),
    'schema-version': VERSION,
    traceparent: text('Of the trace of the command, where it had one.'),
  },
};

/** Basic properties of a reply. */
export const REPLY_PROPERTIES: JsonSchema = {
  type: 'object',
  required: ['type', 'correlation_id', 'message_id', 'content_type', 'delivery_mode', 'timestamp', 'app_id'],
  properties: {
    type: text("The reply's type."),
    correlation_id: text('As sent.'),
    message_id: text('<command id>:<sequence>, the same when a reply is repeated.'),
    content_type: JSON_TYPE,
    delivery_mode: PERSISTENT,
    timestamp: SECONDS('When it was made'),
    app_id: { const: 'poker-bridge' },
  },
};

/** Headers that a copy has beside its own; none where the broker itself dead-lettered it. Source: bus contract, section 5, "Copies". */
export const COPY_HEADERS: JsonSchema = {
  type: 'object',
  properties: {
    'x-reason': text('Why it lies here.'),
    'x-failed-at': moment('When it was put here.'),
    'x-origin-queue': text('Where it came from, or was meant to go.'),
    'x-origin-bytes': count('Of a body over MAX_COMMAND_BYTES: its size; the copy holds its first KiB.'),
    'x-origin-user-id': text('The property user_id, which cannot be published for somebody else.'),
    'x-seal': text('Proves to workers that one of them wrote these headers.'),
  },
};
