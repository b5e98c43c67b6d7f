import { ERROR_CODES, LANE_OF_COMMAND, LANES, SCHEMA_VERSION } from '#contracts';
import { COMMANDS, REPLIES } from '#contracts/validation';
import { topologyOf } from '#messaging';
import { readSomeSettings } from '#settings';

import { relocated } from '../schemas/json-schema.ts';
import { SCHEMAS } from '../schemas/schemas.ts';
import { ANNOUNCED, MESSAGES } from './messages.ts';

const DESCRIPTION = [
  'Commands from RabbitMQ are run against an online-poker platform, and each is answered exactly once.',
  'The document is written from the worker: what it receives you send, what it sends you receive.',
  'Names are those of the prefix poker (AMQP_PREFIX). Basic properties of AMQP stand under x-amqp-properties,',
  'since AsyncAPI has no place for them; $message.header#/reply_to and #/correlation_id are such properties.',
  'Messages may gain members: ignore what you do not know. Commands hold no members but these.',
].join('\n');

const { AMQP_PREFIX, REPORTS_RETRY_DELAYS_MS } = readSomeSettings(
  ['AMQP_PREFIX', 'REPORTS_RETRY_DELAYS_MS'],
  {},
);
const { names: NAMES, ...TOPOLOGY } = topologyOf(AMQP_PREFIX, REPORTS_RETRY_DELAYS_MS);
const VERSION = { bindingVersion: '0.3.0' };
const SENT = { deliveryMode: 2, timestamp: true, ...VERSION };
const SUCCESSES = [...ANNOUNCED].filter(([reply]) => reply !== 'command.failed');

export function asyncApiDocument(): object {
  const document = {
    asyncapi: '3.0.0',
    id: `urn:poker-bridge:contract:${SCHEMA_VERSION}`,
    info: { title: 'poker-bridge', version: `${SCHEMA_VERSION}.0.0`, description: DESCRIPTION },
    defaultContentType: 'application/json',
    servers: {
      rabbitmq: { host: '127.0.0.1:5672', protocol: 'amqp', protocolVersion: '0-9-1' },
    },
    channels: Object.fromEntries(CHANNELS.map(channelOf)),
    operations: Object.fromEntries(CHANNELS.flatMap(operationOf)),
    components: { messages: MESSAGES, schemas: SCHEMAS },
    'x-topology': TOPOLOGY,
  };
  return relocated(document, '#/components/schemas/');
}

/** A channel for callers or people on call, and the worker's action on it; a caller does the reverse. */
interface Channel {
  readonly name: string;
  /** Default: its name. */
  readonly address?: string | null;
  readonly title: string;
  readonly description?: string;
  readonly parameters?: object;
  readonly messages: readonly string[];
  readonly amqp: object;
  readonly operation?: {
    /** As a sentence, for example `on lane reports`. */
    readonly name: string;
    /** The names of the messages that answer a command. */
    readonly replies?: readonly string[];
    /** True if the worker requires a queue to receive its messages. */
    readonly mandatory?: boolean;
  };
}

const CHANNELS: readonly Channel[] = [
  ...COMMANDS.map(({ type, replies }) => ({
    name: type,
    title: `The routing key ${type} of ${NAMES.commands}`,
    messages: [type],
    amqp: exchange(NAMES.commands),
    operation: { name: `on ${type}`, replies: [...typesOf(replies), 'command.failed'] },
  })),
  ...LANES.map((lane) => {
    const ofLane = COMMANDS.filter(({ type }) => LANE_OF_COMMAND[type] === lane);
    const successes = new Set(ofLane.flatMap(({ replies }) => typesOf(replies)));
    return {
      name: NAMES.lanes[lane],
      title: `The queue of the lane ${lane}`,
      description:
        'For a command with the property type, and for packets of the RabbitMQ client of NestJS. Do not declare it.',
      messages: [...typesOf(ofLane), 'nest.command'],
      amqp: queue(NAMES.lanes[lane]),
      operation: { name: `on lane ${lane}`, replies: [...successes, 'command.failed', 'nest.reply'] },
    };
  }),
  {
    name: 'replies',
    address: null,
    title: 'The reply queue that the command named',
    description: 'Published to the default exchange with reply_to as routing key: persistent, confirmed.',
    messages: [...REPLIES.keys(), 'nest.reply'],
    amqp: exchange(''),
  },
  {
    name: 'failures',
    address: 'command.failed.{code}',
    title: 'Announcements of failures',
    description: 'With EVENTS=errors (the default) and EVENTS=all.',
    parameters: { code: { description: 'The error code.', enum: Object.keys(ERROR_CODES) } },
    messages: ['command.failed.announced'],
    amqp: exchange(NAMES.events),
    operation: { name: 'announce failure', mandatory: false },
  },
  ...SUCCESSES.map(([reply, message]) => ({
    name: `announced.${reply}`,
    address: reply,
    title: `Announcements of ${reply}`,
    description: 'With EVENTS=all alone.',
    messages: [message],
    amqp: exchange(NAMES.events),
    operation: { name: `announce ${reply}`, mandatory: false },
  })),
  keptIn(NAMES.deadLetters, 'Commands that will not be tried again', 'dead-letter'),
  keptIn(NAMES.undelivered, 'Replies that nobody took', 'undelivered-reply'),
];

function keptIn(name: string, title: string, message: string): Channel {
  const operation = { name: `keep ${message}`, mandatory: true };
  return { name, title, messages: [message], amqp: queue(name), operation };
}

function typesOf(typed: readonly { readonly type: string }[]): string[] {
  return typed.map(({ type }) => type);
}

function exchange(name: string): object {
  const type = TOPOLOGY.exchanges.find((each) => each.name === name)?.type ?? 'default';
  return { is: 'routingKey', exchange: { name, type, durable: true, autoDelete: false }, ...VERSION };
}

function queue(name: string): object {
  return { is: 'queue', queue: { name, durable: true, exclusive: false, autoDelete: false }, ...VERSION };
}

function channelOf(channel: Channel): [string, object] {
  const { name, address = name, messages: own, amqp, operation: _, ...about } = channel;
  const references = own.map((message) => [message, { $ref: `#/components/messages/${message}` }]);
  const messages = Object.fromEntries(references) as object;
  return [idOf(name), { address, ...about, messages, bindings: { amqp } }];
}

function operationOf({ name, messages: own, operation }: Channel): [string, object][] {
  if (operation === undefined) return [];
  const { replies, mandatory } = operation;
  const parts = {
    action: replies ? 'receive' : 'send',
    channel: { $ref: `#/channels/${idOf(name)}` },
    messages: within(name, own),
    bindings: { amqp: replies ? { ack: true, ...VERSION } : { ...SENT, mandatory } },
    ...(replies && {
      reply: {
        address: { location: '$message.header#/reply_to', description: 'The basic property reply_to.' },
        channel: { $ref: `#/channels/${idOf('replies')}` },
        messages: within('replies', replies),
      },
    }),
  };
  return [[camelCase(operation.name), parts]];
}

function within(channel: string, names: readonly string[]): object[] {
  return names.map((message) => ({ $ref: `#/channels/${idOf(channel)}/messages/${message}` }));
}

/** Generators name a type by the id of a channel; the suffix keeps it apart from the type of the message. */
function idOf(channel: string): string {
  return camelCase(`${channel} channel`);
}

function camelCase(words: string): string {
  return words.replace(/[ .-](\w)/g, (_, letter: string) => letter.toUpperCase());
}
