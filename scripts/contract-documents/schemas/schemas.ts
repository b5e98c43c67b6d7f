import { COMMAND_TYPES, REPORT_AMOUNTS, type ReportName, SCHEMA_VERSION } from '#contracts';
import { COMMANDS, REPLIES } from '#contracts/validation';

import { EXAMPLES } from '../message-examples.ts';
import { type Definitions, type JsonSchema, objectOf, reference, text } from './json-schema.ts';
import { schemasOf } from './message-schemas.ts';

/** Whole digits, however many: more than 2^53 is a number that most readers round. */
const AMOUNT: JsonSchema = { type: 'integer', description: 'Minor units of the currency, digit for digit.' };
const PLAYER = { id: text('Id of the record.'), userId: text('The player.') };
const CURRENCY = text('ISO code.');

/** A record of each report as `report.page` carries it; a platform may give further members. */
const RECORD_SCHEMAS: Definitions = {
  AdHocRecord: recordOf('ad-hoc', {
    ...PLAYER,
    date: { type: 'string', format: 'date', description: 'The day of the aggregate.' },
    moneyType: {
      type: 'integer',
      description: 'Money type; the interface does not show what the codes mean.',
    },
    currency: CURRENCY,
  }),
  RakeRecord: recordOf('rake', { ...PLAYER, currency: CURRENCY }),
};

function recordOf(report: ReportName, members: Definitions): JsonSchema {
  const amounts = REPORT_AMOUNTS[report].map((name) => [name, AMOUNT] as const);
  return objectOf({ ...members, ...Object.fromEntries(amounts) });
}

/** Which records a page holds, by its report; those of a page with faults may be anything. */
function recordsOf(report: ReportName, record: string): JsonSchema {
  return {
    if: { properties: { report: { const: report } }, not: { required: ['faults'] } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { properties: { records: { items: reference(record) } } },
  };
}

const SUCCESSES = [...REPLIES.keys()].filter((type) => type !== 'command.failed');

const packetOf = (type: string): JsonSchema =>
  objectOf({
    pattern: { const: type },
    data: reference(type),
    id: { ...text("The command's identity."), maxLength: 200 },
  });
const PACKET_ID = text("The packet's id.");

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
        ...objectOf(
          {
            response: { anyOf: SUCCESSES.map(reference) },
            isDisposed: { const: true, description: 'On the last reply.' },
            id: PACKET_ID,
          },
          ['response', 'id'],
        ),
        not: { required: ['err'] },
      },
      objectOf({ err: reference('command.failed'), isDisposed: { const: true }, id: PACKET_ID }),
    ],
  },
};

const { 'report.page': PAGE, ...REPLY_SCHEMAS } = schemasOf([...REPLIES.values()], {});

/** Every schema of the bus by its name: those of messages hold a dot, those that others refer to do not. */
export const SCHEMAS: Definitions = {
  // Unknown members of a command are refused; callers ignore those of a reply that they do not know.
  ...schemasOf(COMMANDS, { additionalProperties: false }),
  ...REPLY_SCHEMAS,
  'report.page': { ...PAGE, allOf: [recordsOf('ad-hoc', 'AdHocRecord'), recordsOf('rake', 'RakeRecord')] },
  ...RECORD_SCHEMAS,
  ...PACKET_SCHEMAS,
};

/** The names of the schemas that are whole messages. */
export const MESSAGE_NAMES: readonly string[] = Object.keys(SCHEMAS).filter((name) => name.includes('.'));

/** A schema, or the one that it refers to. */
function resolved(schema: JsonSchema): JsonSchema {
  return (schema.$ref === undefined ? schema : SCHEMAS[schema.$ref.replace('#/$defs/', '')]) ?? {};
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
export function membersOf(
  { properties = {}, required = [] }: JsonSchema = {},
  path: readonly string[] = [],
): readonly Member[] {
  return Object.entries(properties).flatMap(([name, own]) => {
    const held = resolved(own);
    const at = [...path, name];
    const member = { path: at, isRequired: required.includes(name), own, held };
    return [member, ...membersOf(held, at), ...membersOf(resolved(held.items ?? {}), [...at, '*'])];
  });
}

/** One message's schema as a document of its own, with the definitions that it needs. */
export function standaloneSchema(name: string): JsonSchema {
  // Grows while it is read: definitions refer to others.
  const names = new Set([name]);
  for (const each of names)
    for (const [, needed = ''] of JSON.stringify(SCHEMAS[each]).matchAll(/"#\/\$defs\/([^"]+)"/g))
      names.add(needed);
  const definitions = Object.entries(SCHEMAS).filter(([each]) => each !== name && names.has(each));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:poker-bridge:contract:${SCHEMA_VERSION}:${name}`,
    title: name,
    ...SCHEMAS[name],
    examples: EXAMPLES[name]?.map(({ payload }) => payload),
    ...(definitions.length > 0 && { $defs: Object.fromEntries(definitions) }),
  };
}
