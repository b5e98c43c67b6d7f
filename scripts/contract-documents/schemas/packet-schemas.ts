import { COMMAND_TYPES, REPLIES } from '#contracts';

import { type Definitions, type JsonSchema, reference, text } from './json-schema.ts';

const SUCCESSES = [...REPLIES.keys()].filter((type) => type !== 'command.failed');

const packetOf = (type: string): JsonSchema => ({
  type: 'object',
  required: ['pattern', 'data', 'id'],
  properties: {
    pattern: { const: type },
    data: reference(type),
    id: { ...text("The command's identity."), maxLength: 200 },
  },
});

/** The packets of Nest's own RabbitMQ client. Source: bus contract, section 2, "Nest callers". */
export const PACKET_SCHEMAS: Definitions = {
  'nest.command': {
    description: "A command as Nest's own RabbitMQ client sends it: the property type is absent.",
    oneOf: COMMAND_TYPES.map(packetOf),
  },
  'nest.reply': {
    description: "A reply to such a command, as Nest's client understands it.",
    oneOf: [
      {
        type: 'object',
        required: ['response', 'id'],
        properties: {
          response: { anyOf: SUCCESSES.map(reference) },
          isDisposed: { const: true, description: 'On the last reply.' },
          id: text("The packet's id."),
        },
        not: { required: ['err'] },
      },
      {
        type: 'object',
        required: ['err', 'isDisposed', 'id'],
        properties: {
          err: reference('command.failed'),
          isDisposed: { const: true },
          id: text("The packet's id."),
        },
      },
    ],
  },
};
