import { announcedData, ERROR_CODES, isCommandType, REPLIES, type Reply, type Shape } from '#contracts';

import type { Example } from '../examples/message-examples.ts';
import { EXAMPLES } from '../examples/examples.ts';
import { type JsonSchema, reference } from '../schemas/json-schema.ts';
import { MESSAGE_NAMES } from '../schemas/schemas.ts';
import {
  COMMAND_HEADERS,
  COMMAND_PROPERTIES,
  COPY_HEADERS,
  REPLY_HEADERS,
  REPLY_PROPERTIES,
} from './message-properties.ts';

type Message = Readonly<Record<string, unknown>>;

/** The message that announces each success, where `EVENTS` is `all`: the reply itself, if it has no private member. */
export const ANNOUNCED: ReadonlyMap<string, string> = new Map(
  [...REPLIES.values()]
    .filter(({ type, final }) => final && type !== 'command.failed')
    .map(({ type, data, announced }) => {
      const isPublic = Object.keys(new (data as Shape)()).every((member) => announced.includes(member));
      return [type, isPublic ? type : `${type}.announced`];
    }),
);

/** Every message of the bus by its name. */
export function messages(definitions: Readonly<Record<string, JsonSchema>>): Record<string, Message> {
  const own = MESSAGE_NAMES.map((name) => [name, ownMessage(name)] as const);
  const announced = [...ANNOUNCED]
    .filter(([reply, name]) => reply !== name)
    .map(([reply, name]) => [name, announcement(reply, name, definitions[reply] ?? {})]);
  return {
    ...Object.fromEntries(own),
    ...(Object.fromEntries(announced) as Record<string, Message>),
    'dead-letter': copy('A command that will not be tried again, body as it came', {
      'x-reason': { enum: Object.keys(ERROR_CODES) },
    }),
    'undelivered-reply': copy('A reply, or an announcement, that nobody took', {
      'x-reason': {
        enum: ['REPLY_QUEUE_GONE', 'REPLY_QUEUE_FULL', 'REPLY_QUEUE_UNREACHABLE', 'EVENT_REFUSED'],
      },
    }),
  };
}

function ownMessage(name: string): Message {
  const isCommand = isCommandType(name) || name === 'nest.command';
  return {
    name,
    contentType: 'application/json',
    headers: isCommand ? COMMAND_HEADERS : REPLY_HEADERS,
    payload: reference(name),
    // A packet of Nest's client is known by the absence of the property `type`.
    bindings: { amqp: { ...(!name.startsWith('nest.') && { messageType: name }), bindingVersion: '0.3.0' } },
    ...(!isCommand && {
      correlationId: { location: '$message.header#/correlation_id', description: 'The basic property.' },
    }),
    examples: EXAMPLES[name]?.map(asExample),
    'x-amqp-properties': isCommand ? COMMAND_PROPERTIES : REPLY_PROPERTIES,
  };
}

function announcement(reply: string, name: string, schema: JsonSchema): Message {
  const isPublic = (member: string) => REPLIES.get(reply)?.announced.includes(member);
  const properties = Object.entries(schema['properties'] as Record<string, unknown>);
  const payload = {
    type: 'object',
    required: (schema['required'] as string[]).filter(isPublic),
    properties: Object.fromEntries(properties.filter(([member]) => isPublic(member))),
  };
  const examples = EXAMPLES[reply]?.map((example) => ({
    ...example,
    payload: announcedData({ type: reply, data: example.payload } as Reply),
  }));
  return { ...ownMessage(reply), name, payload, examples: examples?.map(asExample) };
}

function copy(summary: string, properties: Readonly<Record<string, JsonSchema>>): Message {
  return {
    summary,
    headers: {
      allOf: [COPY_HEADERS, { type: 'object', properties }],
    },
    payload: {},
  };
}

function asExample({ name, summary, headers, payload }: Example): Example {
  return { name, summary, headers, payload };
}

/** References to messages of the components. */
export const messageReferences = (names: readonly string[]): Record<string, JsonSchema> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));

/** What a caller may be answered with. */
export const REPLY_NAMES: readonly string[] = [...REPLIES.keys()];
