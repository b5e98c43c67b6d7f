import { ValidationTypes } from 'class-validator';
import { targetConstructorToSchema } from 'class-validator-jsonschema';

import type { ReplyDefinition, Shape } from '#contracts/validation';

import { type Definitions, type JsonSchema, reference } from './json-schema.ts';

type Message = Pick<ReplyDefinition, 'summary' | 'data'>;
type Converters = NonNullable<
  NonNullable<Parameters<typeof targetConstructorToSchema>[1]>['additionalConverters']
>;
type Described = Pick<JsonSchema, 'description'>;
type Rule = Parameters<Extract<Converters[string], (...given: never[]) => unknown>>[0];

/** Converters of rules that class-validator-jsonschema does not support. */
const CONVERTERS: Converters = {
  isIso8601: { type: 'string', format: 'date-time' },
  isIn: ({ constraints, context }) => ({
    ...(context as object),
    type: 'string',
    enum: constraints[0] as string[],
  }),
  // The library adds `type: number`.
  min: ({ constraints }) => ({ minimum: constraints[0] as number }),
  max: ({ constraints }) => ({ maximum: constraints[0] as number }),
  // The rule of a member's presence carries its description.
  [ValidationTypes.IS_DEFINED]: ({ context }) => (context ?? {}) as Described,
  [ValidationTypes.CONDITIONAL_VALIDATION]: ({ context }) => (context ?? {}) as Described,
};

/**
 * Returns a schema for the data of each message, and for the objects in it, by the names of their classes.
 * The schemas are read from the decorators of the classes.
 *
 * @param rest keywords that are added to every schema
 * @throws TypeError for a rule without a JSON Schema, and for a member without a description
 */
export function schemasOf(messages: readonly Message[], rest: JsonSchema): Definitions {
  const summaries = new Map(messages.map(({ data, summary }) => [data, summary]));
  // Grows while it is read, because objects contain objects.
  const shapes = new Set<Shape>(summaries.keys());
  const additionalConverters: Converters = {
    ...CONVERTERS,
    [ValidationTypes.NESTED_VALIDATION]: ({ context }) => {
      shapes.add(context as Shape);
      return reference((context as Shape).name) as { $ref: string };
    },
    [ValidationTypes.CUSTOM_VALIDATION]: (rule) => schemaWith(rule) as Described,
  };
  const schemaOf = (shape: Shape): JsonSchema => {
    const { required = [], properties = {} } = targetConstructorToSchema(shape, { additionalConverters });
    const members = Object.entries(properties as Definitions).map(([name, schema]) => {
      if (schema.description === undefined)
        throw new TypeError(`${shape.name}.${name} says neither what it is for nor whether it must be given`);
      return [name, memberSchema(schema)] as const;
    });
    const summary = summaries.get(shape);
    return {
      title: shape.name,
      ...(summary !== undefined && { description: summary }),
      type: 'object',
      required,
      properties: Object.fromEntries(members),
      ...rest,
    };
  };
  const schemas: Record<string, JsonSchema> = {};
  for (const shape of shapes) schemas[shape.name] = schemaOf(shape);
  return schemas;
}

/** Generators name a type by its title, so a title that is a phrase moves to the description. */
function memberSchema({ type, title, description, ...others }: JsonSchema): JsonSchema {
  const isName = others.enum !== undefined;
  const phrase = typeof title === 'string' && !isName ? title : '';
  const rule = phrase && ` ${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
  const isReference = others.$ref !== undefined;
  return {
    ...(isName && { title }),
    ...(type !== undefined && !isReference && { type }),
    ...others,
    description: `${description}${rule}`,
  };
}

/** Returns the schema that comes with a rule of the contract. */
function schemaWith({ type, target, propertyName, constraints }: Rule): JsonSchema {
  const [schema] = (constraints ?? []) as [JsonSchema?];
  if (schema !== undefined) return schema;
  const owner = typeof target === 'string' ? target : target.name;
  throw new TypeError(`the rule ${type} of ${owner}.${propertyName} has no JSON Schema`);
}
