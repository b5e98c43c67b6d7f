import { ValidationTypes } from 'class-validator';
import { targetConstructorToSchema } from 'class-validator-jsonschema';

import type { ReplyDefinition, Shape } from '#contracts/validation';

import { type Definitions, type JsonSchema, reference } from './json-schema.ts';

type Message = Pick<ReplyDefinition, 'summary' | 'data'> & { readonly type: string };
type Converters = NonNullable<
  NonNullable<Parameters<typeof targetConstructorToSchema>[1]>['additionalConverters']
>;
type Described = Pick<JsonSchema, 'description'>;
type Rule = Parameters<Extract<Converters[string], (...given: never[]) => unknown>>[0];

/** For the rules that class-validator-jsonschema does not know by itself. */
const CONVERTERS: Converters = {
  isIso8601: { type: 'string', format: 'date-time' },
  // The library adds `type: number`.
  min: ({ constraints }) => ({ minimum: constraints[0] as number }),
  max: ({ constraints }) => ({ maximum: constraints[0] as number }),
  // A member's description stands with the rule of its presence.
  [ValidationTypes.IS_DEFINED]: ({ context }) => (context ?? {}) as Described,
  [ValidationTypes.CONDITIONAL_VALIDATION]: ({ context }) => (context ?? {}) as Described,
};

/**
 * A schema for each message, and for the objects in it, read from the decorators of its class.
 *
 * @param rest of every schema
 * @throws TypeError for a rule that has no JSON Schema, and for a member that does not say what it is for
 */
export function schemasOf(messages: readonly Message[], rest: JsonSchema): Definitions {
  // What members refer to, as it is found: classes that have no schema yet, and schemas that belong to a rule.
  const shapes = new Set<Shape>();
  const definitions: Record<string, JsonSchema> = {};
  const additionalConverters: Converters = {
    ...CONVERTERS,
    [ValidationTypes.NESTED_VALIDATION]: ({ context }) => {
      shapes.add(context as Shape);
      return reference((context as Shape).name) as { $ref: string };
    },
    [ValidationTypes.CUSTOM_VALIDATION]: (rule) => {
      const { $defs, ...own } = schemaWith(rule);
      Object.assign(definitions, $defs);
      return own as Described;
    },
  };
  const schemaOf = (shape: Shape): JsonSchema => {
    const { required = [], properties = {} } = targetConstructorToSchema(shape, { additionalConverters });
    const members = Object.entries(properties as Definitions).map(([name, { type, ...others }]) => {
      if (others.description === undefined)
        throw new TypeError(`${shape.name}.${name} says neither what it is for nor whether it must be given`);
      return [name, type === undefined ? others : { type, ...others }] as const;
    });
    return { type: 'object', required, properties: Object.fromEntries(members), ...rest };
  };
  const schemas: Record<string, JsonSchema> = {};
  for (const { type, summary, data } of messages) schemas[type] = { description: summary, ...schemaOf(data) };
  // Grows while it is read: an object may hold objects.
  for (const shape of shapes) schemas[shape.name] = schemaOf(shape);
  return { ...schemas, ...definitions };
}

/** The schema that a rule of the contract has with it. */
function schemaWith({ type, target, propertyName, constraints }: Rule): JsonSchema {
  const [schema] = (constraints ?? []) as [JsonSchema?];
  if (schema !== undefined) return schema;
  const owner = typeof target === 'string' ? target : target.name;
  throw new TypeError(`the rule ${type} of ${owner}.${propertyName} has no JSON Schema`);
}
