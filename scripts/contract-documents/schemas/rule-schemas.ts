import { getMetadataStorage, ValidationTypes } from 'class-validator';
import type { targetConstructorToSchema } from 'class-validator-jsonschema';

import type { Shape } from '#contracts/validation';

/** A schema of JSON Schema 2020-12, in the words that draft 07 has as well: AsyncAPI reads that. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Schemas that others refer to, by name. */
export type Definitions = Readonly<Record<string, JsonSchema>>;

export const text = (description?: string): JsonSchema => ({
  type: 'string',
  ...(description !== undefined && { description }),
});

export const count = (description: string, minimum = 0): JsonSchema => ({
  type: 'integer',
  minimum,
  description,
});

export const boolean = (description: string): JsonSchema => ({ type: 'boolean', description });

export const moment = (description: string): JsonSchema => ({
  type: 'string',
  format: 'date-time',
  description,
});

/** The schema of that name, wherever the document keeps its definitions. */
export const reference = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });

/** The same schema with its references leading to another place, for example `#/components/schemas/`. */
export function relocated<T>(value: T, place: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', `"${place}`)) as T;
}

type Converters = NonNullable<
  NonNullable<Parameters<typeof targetConstructorToSchema>[1]>['additionalConverters']
>;
type LaunchConstraints = Parameters<typeof launchOptionsSchemas>;
type Rule = Parameters<Extract<Converters[string], (...given: never[]) => unknown>>[0];

const CONVERTERS: Readonly<Record<string, (constraints: readonly unknown[]) => JsonSchema>> = {
  isText: ([maxLength, pattern]) => ({ type: 'string', maxLength, pattern }),
  isPlayerId: ([maxLength, pattern, refused]) => ({
    type: 'string',
    maxLength,
    pattern,
    minLength: 1,
    not: { enum: refused },
  }),
  isLanguage: ([pattern]) => ({ type: 'string', pattern }),
  isLanguageTag: ([maxLength, pattern]) => ({ type: 'string', maxLength, pattern }),
  isReportTime: ([pattern]) => ({ type: 'string', pattern }),
  // The order of two members and the names of zones cannot be said; the descriptions do.
  isAfter: () => ({}),
  isTimeZone: () => ({}),
  isShownInZone: () => ({}),
  isSafeInteger: ([minimum, maximum]) => ({ type: 'integer', minimum, maximum }),
  isPrecisions: () => ({
    type: 'object',
    additionalProperties: { type: ['integer', 'null'], minimum: 0 },
  }),
  isRecords: () => ({ type: 'array', items: { type: 'object', required: ['id'] } }),
  isIso8601: () => ({ type: 'string', format: 'date-time' }),
  // The library adds `type: number`.
  min: ([minimum]) => ({ minimum }),
  max: ([maximum]) => ({ maximum }),
};

/** Rules whose sentence says what their pattern means. */
const TITLED = new Set(['isLanguage', 'isLanguageTag', 'isReportTime']);

/** What members refer to, as it is found: classes that have no schema yet, and schemas that belong to a rule. */
export interface Referred {
  readonly shapes: Set<Shape>;
  readonly schemas: Record<string, JsonSchema>;
}

/** JSON Schema for the rules that class-validator-jsonschema does not know by itself, by the name of the rule. */
export function ruleSchemas(referred: Referred): Converters {
  const known = Object.entries(CONVERTERS).map(([name, convert]) => [
    name,
    (rule: Rule) => ({
      ...convert(rule.constraints ?? []),
      ...(TITLED.has(name) && { title: titleOf(rule) }),
    }),
  ]);
  return {
    ...(Object.fromEntries(known) as Converters),
    // A member's description stands with the rule of its presence.
    [ValidationTypes.IS_DEFINED]: descriptionOf,
    [ValidationTypes.CONDITIONAL_VALIDATION]: descriptionOf,
    isLaunchOptions: ({ constraints }) => {
      Object.assign(referred.schemas, launchOptionsSchemas(...(constraints as LaunchConstraints)));
      return reference('LaunchOptions');
    },
    [ValidationTypes.NESTED_VALIDATION]: ({ context }) => {
      referred.shapes.add(context as Shape);
      return reference((context as Shape).name);
    },
    [ValidationTypes.CUSTOM_VALIDATION]: ({ type, target, propertyName }) => {
      const owner = typeof target === 'string' ? target : target.name;
      throw new TypeError(
        `the rule ${type} of ${owner}.${propertyName} has no JSON Schema in rule-schemas.ts`,
      );
    },
  };
}

function descriptionOf({ context }: Rule): JsonSchema {
  const { description } = (context ?? {}) as { readonly description?: string };
  return description === undefined ? {} : { description };
}

/** `must be a real date`, as the worker says it, without `must be`. */
function titleOf({ constraintCls }: Rule): string {
  const [constraint] = getMetadataStorage().getTargetValidatorConstraints(constraintCls);
  return constraint?.instance.defaultMessage?.().replace(/^must be /, '') ?? '';
}

const DESCRIPTION =
  'Custom options embedded in the URL of the game: an object, or a string that holds one as JSON. At most 8 KiB.';

/**
 * Launch options: any JSON whose signature is defined.
 *
 * @param pattern of every string
 * @param refusedName a pattern that no name may have
 */
function launchOptionsSchemas(maxLength: number, pattern: string, refusedName: string): Definitions {
  return {
    LaunchOptions: {
      description: DESCRIPTION,
      oneOf: [
        reference('LaunchObject'),
        { type: 'string', maxLength, pattern, contentMediaType: 'application/json' },
      ],
    },
    LaunchObject: {
      type: 'object',
      propertyNames: { pattern, not: { pattern: refusedName } },
      additionalProperties: reference('LaunchValue'),
    },
    LaunchValue: {
      oneOf: [
        { type: 'string', pattern },
        { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
        { type: 'boolean' },
        { type: 'null' },
        { type: 'array', items: reference('LaunchValue') },
        reference('LaunchObject'),
      ],
    },
  };
}
