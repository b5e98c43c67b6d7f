import { COMMAND_TYPES, SCHEMA_VERSION } from '#contracts';
import { REPLIES } from '#contracts/validation';

import { type Definitions, type JsonSchema, reference, text } from './json-schema.ts';
import { messageSchemas } from './message-schemas.ts';

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
const PACKET_SCHEMAS: Definitions = {
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

/** Every schema of the bus by its name: those of messages hold a dot, those that others refer to do not. */
export const SCHEMAS: Definitions = {
  ...messageSchemas(),
  ...PACKET_SCHEMAS,
};

/** The names of the schemas that are whole messages. */
export const MESSAGE_NAMES: readonly string[] = Object.keys(SCHEMAS).filter((name) => name.includes('.'));

/** A schema, or the one that it refers to. */
function resolved(schema: JsonSchema): JsonSchema {
  const { $ref } = schema;
  return typeof $ref === 'string' ? (SCHEMAS[$ref.replace('#/$defs/', '')] ?? {}) : schema;
}

/** A member of a message, or of an object in it. */
interface Member {
  /** Its name behind those of what it is in; `*` stands for an element of an array. */
  readonly path: readonly string[];
  readonly isRequired: boolean;
  /** Its schema as it is written there, and the one that this refers to. */
  readonly own: JsonSchema;
  readonly held: JsonSchema;
}

/** The members of a schema, each followed by those of the object or the array that it is. */
export function membersOf(schema: JsonSchema = {}, path: readonly string[] = []): readonly Member[] {
  const required = (schema['required'] ?? []) as readonly string[];
  const properties = (schema['properties'] ?? {}) as Record<string, JsonSchema>;
  return Object.entries(properties).flatMap(([name, own]) => {
    const held = resolved(own);
    const at = [...path, name];
    const member = { path: at, isRequired: required.includes(name), own, held };
    const items = resolved((held['items'] ?? {}) as JsonSchema);
    return [member, ...membersOf(held, at), ...membersOf(items, [...at, '*'])];
  });
}

/** One message's schema as a document of its own, with the definitions that it needs. */
export function standaloneSchema(name: string, examples: readonly unknown[]): JsonSchema {
  const needed = new Set<string>();
  collect(SCHEMAS[name], needed);
  const definitions = Object.entries(SCHEMAS).filter(([candidate]) => needed.has(candidate));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:poker-bridge:contract:${SCHEMA_VERSION}:${name}`,
    title: name,
    ...SCHEMAS[name],
    examples,
    ...(definitions.length > 0 && { $defs: Object.fromEntries(definitions) }),
  };
}

function collect(schema: unknown, found: Set<string>): void {
  for (const [, name = ''] of JSON.stringify(schema).matchAll(/"#\/\$defs\/([^"]+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    collect(SCHEMAS[name], found);
  }
}
