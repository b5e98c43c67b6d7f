import { targetConstructorToSchema } from 'class-validator-jsonschema';

import { REPORT_AMOUNTS } from '#contracts';
import { COMMANDS, REPLIES, type Shape } from '#contracts/validation';

import {
  type Definitions,
  type JsonSchema,
  reference,
  type Referred,
  ruleSchemas,
  text,
} from './rule-schemas.ts';

/** Whole digits, however many: more than 2^53 is a number that most readers round. */
const AMOUNT: JsonSchema = {
  type: 'integer',
  description: 'Minor units of the currency, digit for digit.',
};
const DAY: JsonSchema = { type: 'string', format: 'date', description: 'The day of the aggregate.' };
const MONEY_TYPE: JsonSchema = {
  type: 'integer',
  description: 'Money type; the interface does not show what the codes mean.',
};

/** A record of each report as `report.page` carries it; a platform may give further members. */
const RECORD_SCHEMAS: Definitions = {
  AdHocRecord: {
    type: 'object',
    required: ['id', 'userId', 'date', 'moneyType', 'currency', ...REPORT_AMOUNTS['ad-hoc']],
    properties: {
      id: text('Id of the record.'),
      userId: text('The player.'),
      date: DAY,
      moneyType: MONEY_TYPE,
      currency: text('ISO code.'),
      ...Object.fromEntries(REPORT_AMOUNTS['ad-hoc'].map((name) => [name, AMOUNT])),
    },
  },
  RakeRecord: {
    type: 'object',
    required: ['id', 'userId', 'currency', ...REPORT_AMOUNTS.rake],
    properties: {
      id: text('Id of the record.'),
      userId: text('The player.'),
      currency: text('ISO code.'),
      value: AMOUNT,
    },
  },
};

/** Which records a page holds, by its report; those of a page with faults may be anything. */
const RECORDS_OF_PAGE: JsonSchema = {
  allOf: [recordsOf('ad-hoc', 'AdHocRecord'), recordsOf('rake', 'RakeRecord')],
};

function recordsOf(report: string, record: string): JsonSchema {
  return {
    if: { properties: { report: { const: report } }, not: { required: ['faults'] } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { properties: { records: { items: reference(record) } } },
  };
}

/** A schema for the data of each command and each reply, and for the objects in it. */
export function messageSchemas(): Definitions {
  // Unknown members of a command are refused; callers ignore those of a reply that they do not know.
  const commands = schemasOf(COMMANDS, { additionalProperties: false });
  const { 'report.page': page, ...replies } = schemasOf([...REPLIES.values()], {});
  return {
    ...commands,
    ...replies,
    'report.page': { ...page, ...RECORDS_OF_PAGE },
    ...RECORD_SCHEMAS,
  };
}

interface Message {
  readonly type: string;
  readonly summary: string;
  readonly data: Shape;
}

/**
 * A schema for each message, and for the objects in it, read from the decorators of its class.
 *
 * @param rest of every schema
 * @throws TypeError for a rule that has no JSON Schema yet, and for a member that does not say what it is for
 */
export function schemasOf(messages: readonly Message[], rest: JsonSchema): Definitions {
  const referred: Referred = { shapes: new Set(), schemas: {} };
  const schemas: Record<string, JsonSchema> = {};
  for (const { type, summary, data } of messages)
    schemas[type] = { description: summary, ...schemaOf(data, referred), ...rest };
  // Grows while it is read: an object may hold objects.
  for (const shape of referred.shapes) schemas[shape.name] = { ...schemaOf(shape, referred), ...rest };
  return { ...schemas, ...referred.schemas };
}

function schemaOf(shape: Shape, referred: Referred): JsonSchema {
  const additionalConverters = ruleSchemas(referred);
  const { required = [], properties = {} } = targetConstructorToSchema(shape, { additionalConverters });
  const members = Object.entries(properties).map(([name, schema]) => {
    if ('description' in schema) return [name, typeFirst({ ...schema })] as const;
    throw new TypeError(`${shape.name}.${name} says neither what it is for nor whether it must be given`);
  });
  return { type: 'object', required, properties: Object.fromEntries(members) };
}

function typeFirst({ type, ...rest }: JsonSchema): JsonSchema {
  return type === undefined ? rest : { type, ...rest };
}
