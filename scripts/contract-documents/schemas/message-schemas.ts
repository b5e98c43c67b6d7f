import { ValidationTypes } from 'class-validator';
import { targetConstructorToSchema } from 'class-validator-jsonschema';

import { REPORT_AMOUNTS } from '#contracts';
import { COMMANDS, REPLIES, type Shape } from '#contracts/validation';

import { type Definitions, type JsonSchema, reference, text } from './json-schema.ts';

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

/** What members refer to, as it is found: classes that have no schema yet, and schemas that belong to a rule. */
interface Referred {
  readonly shapes: Set<Shape>;
  readonly schemas: Record<string, JsonSchema>;
}

/**
 * A schema for each message, and for the objects in it, read from the decorators of its class.
 *
 * @param rest of every schema
 * @throws TypeError for a rule that has no JSON Schema, and for a member that does not say what it is for
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
  const additionalConverters = converters(referred);
  const { required = [], properties = {} } = targetConstructorToSchema(shape, { additionalConverters });
  const members = Object.entries(properties).map(([name, schema]) => {
    if (!('description' in schema))
      throw new TypeError(`${shape.name}.${name} says neither what it is for nor whether it must be given`);
    const { type, ...others } = schema;
    return [name, type === undefined ? others : { type, ...others }] as const;
  });
  return { type: 'object', required, properties: Object.fromEntries(members) };
}

type Converters = NonNullable<
  NonNullable<Parameters<typeof targetConstructorToSchema>[1]>['additionalConverters']
>;
type Rule = Parameters<Extract<Converters[string], (...given: never[]) => unknown>>[0];

/** For the rules that class-validator-jsonschema does not know by itself. Those of the contract have their schema with them. */
function converters(referred: Referred): Converters {
  return {
    isIso8601: { type: 'string', format: 'date-time' },
    // The library adds `type: number`.
    min: ({ constraints }) => ({ minimum: constraints[0] as number }),
    max: ({ constraints }) => ({ maximum: constraints[0] as number }),
    // A member's description stands with the rule of its presence.
    [ValidationTypes.IS_DEFINED]: descriptionOf,
    [ValidationTypes.CONDITIONAL_VALIDATION]: descriptionOf,
    [ValidationTypes.NESTED_VALIDATION]: ({ context }) => {
      referred.shapes.add(context as Shape);
      return reference((context as Shape).name);
    },
    [ValidationTypes.CUSTOM_VALIDATION]: ({ type, target, propertyName, constraints }) => {
      const [schema] = (constraints ?? []) as [{ readonly $defs?: Definitions }?];
      if (schema === undefined) {
        const owner = typeof target === 'string' ? target : target.name;
        throw new TypeError(`the rule ${type} of ${owner}.${propertyName} has no JSON Schema`);
      }
      const { $defs, ...own } = schema;
      Object.assign(referred.schemas, $defs);
      return own;
    },
  };
}

function descriptionOf({ context }: Rule): JsonSchema {
  const { description } = (context ?? {}) as { readonly description?: string };
  return description === undefined ? {} : { description };
}
