import { COMMAND_TYPES, REPORT_AMOUNTS, type ReportName, SCHEMA_VERSION } from '#contracts';
import { COMMANDS, REPLIES } from '#contracts/validation';

import { EXAMPLES } from '../message-examples.ts';
import { type Definitions, type JsonSchema, objectOf, reference, text } from './json-schema.ts';
import { schemasOf } from './message-schemas.ts';

/** An amount keeps all of its digits: above 2^53, a reader that uses floating point would round it. */
const AMOUNT: JsonSchema = {
  type: 'integer',
  format: 'int64',
  description: 'Minor units of the currency, digit for digit.',
};
const PLAYER = { id: text('Id of the record.'), userId: text('The player.') };
const CURRENCY = text('ISO code.');

/** A record of each report as `report.page` carries it; a platform may give further members. */
export const RECORD_SCHEMAS = {
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

/** The data of each command and reply, and the objects in it, by the names of their classes. */
export const DATA_SCHEMAS: Definitions = {
  // The worker rejects unknown members of a command; callers ignore unknown members of a reply.
  ...schemasOf(COMMANDS, { additionalProperties: false }),
  ...schemasOf([...REPLIES.values()], {}),
};

/** The pages of a report: a type for each kind of record, and one for pages with records that have faults. */
function pageSchemas({ description = '', properties = {}, required = [] }: JsonSchema): Definitions {
  const { faults, ...members } = properties;
  const { report = {}, records = {} } = members;
  const pageOf = (pages: string, kind: Definitions, further: Definitions): JsonSchema => ({
    description: pages,
    ...objectOf({ ...members, ...kind, ...further }, [...required, ...Object.keys(further)]),
  });
  const ofReport = (name: ReportName, record: string): Definitions => ({
    report: { type: 'string', const: name, description: report.description as string },
    records: { ...records, items: reference(record) },
  });
  const ofFaults = { records: { ...records, items: reference('RecordWithFaults') } };
  const kinds = {
    AdHocReportPage: pageOf('A page of an ad hoc report.', ofReport('ad-hoc', 'AdHocRecord'), {}),
    RakeReportPage: pageOf('A page of a rake report.', ofReport('rake', 'RakeRecord'), {}),
    ReportPageWithFaults: pageOf(
      'A page whose faults name members of other types; only with REPORT_RECORDS=lenient.',
      ofFaults,
      { faults: faults as JsonSchema },
    ),
  };
  return {
    ReportPage: { description, anyOf: Object.keys(kinds).map(reference) },
    ...kinds,
    RecordWithFaults: { ...objectOf({ id: PLAYER.id }), additionalProperties: true },
  };
}

/** The name of the schema of a message: `report.page` has `ReportPage`. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ...[...COMMANDS, ...REPLIES.values()].map(({ type, data }) => [type, data.name] as const),
  ['nest.command', 'NestCommand'],
  ['nest.reply', 'NestReply'],
]);

export const MESSAGE_NAMES: readonly string[] = [...NAMES.keys()];

/** Returns the name of the schema of a message. @throws TypeError for an unknown message */
export function schemaName(message: string): string {
  const name = NAMES.get(message);
  if (name === undefined) throw new TypeError(`no message ${message}`);
  return name;
}

const PACKET_ID = text("The packet's id.");
const IS_DISPOSED: JsonSchema = { type: 'boolean', const: true, description: 'On the last reply.' };
const SUCCESSES = [...REPLIES.keys()].filter((type) => type !== 'command.failed');

/** The packets of Nest's own RabbitMQ client. Source: bus contract, section 2, "Nest callers". */
function packetSchemas(): Definitions {
  const id = { ...text("The command's identity."), maxLength: 200 };
  const packets = COMMAND_TYPES.map((type) => {
    const name = schemaName(type);
    const pattern: JsonSchema = { type: 'string', const: type };
    return [`${name}Packet`, objectOf({ pattern, data: reference(name), id })] as const;
  });
  const response = { anyOf: SUCCESSES.map((type) => reference(schemaName(type))) };
  return {
    NestCommand: {
      description: "A command as Nest's own RabbitMQ client sends it: the property type is absent.",
      oneOf: packets.map(([name]) => reference(name)),
    },
    ...Object.fromEntries(packets),
    NestReply: {
      description: "A reply to such a command, as Nest's client understands it.",
      oneOf: [reference('ResponsePacket'), reference('FailurePacket')],
    },
    ResponsePacket: objectOf({ response, isDisposed: IS_DISPOSED, id: PACKET_ID }, ['response', 'id']),
    FailurePacket: objectOf({ err: reference('ErrorBody'), isDisposed: IS_DISPOSED, id: PACKET_ID }),
  };
}

/** Every schema of the bus by its name, which is also its title: generators name a type by that. */
export const SCHEMAS: Definitions = titled({
  ...DATA_SCHEMAS,
  ...RECORD_SCHEMAS,
  ...pageSchemas(DATA_SCHEMAS['ReportPage'] ?? {}),
  ...packetSchemas(),
});

function titled(schemas: Definitions): Definitions {
  return Object.fromEntries(Object.entries(schemas).map(([title, schema]) => [title, { title, ...schema }]));
}

function resolved(schema: JsonSchema): JsonSchema {
  return (schema.$ref === undefined ? schema : SCHEMAS[schema.$ref.replace('#/$defs/', '')]) ?? {};
}

/** A member of a message, or of an object in it. */
interface Member {
  /** Its path: the names of the enclosing members, then its own; `*` is an element of an array. */
  readonly path: readonly string[];
  readonly isRequired: boolean;
  /** Its schema as written, and the schema to which that refers. */
  readonly own: JsonSchema;
  readonly held: JsonSchema;
}

/** Returns the members of a schema, each followed by its own members if it is an object or an array. */
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

/** Returns the schema of one message as a document of its own, with the definitions that it refers to. */
export function standaloneSchema(message: string): JsonSchema {
  const name = schemaName(message);
  // Grows while it is read, because definitions refer to others.
  const names = new Set([name]);
  for (const each of names)
    for (const [, needed = ''] of JSON.stringify(SCHEMAS[each]).matchAll(/"#\/\$defs\/([^"]+)"/g))
      names.add(needed);
  const definitions = Object.entries(SCHEMAS).filter(([each]) => each !== name && names.has(each));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:poker-bridge:contract:${SCHEMA_VERSION}:${message}`,
    ...SCHEMAS[name],
    examples: EXAMPLES[message]?.map(({ payload }) => payload),
    ...(definitions.length > 0 && { $defs: Object.fromEntries(definitions) }),
  };
}
