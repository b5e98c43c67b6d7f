import { busNames, COMMAND_TYPES, ERROR_CODES, LANE_OF_COMMAND } from '#contracts';

import type { JsonSchema } from '../schemas/json-schema.ts';
import { MESSAGE_NAMES, resolved, SCHEMAS } from '../schemas/schemas.ts';

/** One member: whether it must be there, and the keywords that say what it may hold. */
export interface OutlinedMember {
  readonly required: boolean;
  readonly rules: Readonly<Record<string, unknown>>;
}

/** What callers rely on, as flat as it can be. */
export interface ContractOutline {
  readonly names: readonly string[];
  readonly lanes: Readonly<Record<string, string>>;
  /** `<category>`, and ` retryable` where it is. */
  readonly codes: Readonly<Record<string, string>>;
  /** By message, by path. */
  readonly messages: Readonly<Record<string, Readonly<Record<string, OutlinedMember>>>>;
}

const UNTOLD = new Set([
  'description',
  'properties',
  'required',
  'items',
  'allOf',
  'additionalProperties',
  'title',
]);

/** The outline of the contract as it stands in the code. */
export function contractOutline(): ContractOutline {
  const { reserved: _, lanes, ...rest } = busNames();
  const names = Object.values(rest).filter((name) => typeof name === 'string');
  return {
    names: [...names, ...Object.values(lanes)],
    lanes: Object.fromEntries(COMMAND_TYPES.map((type) => [type, LANE_OF_COMMAND[type]])),
    codes: Object.fromEntries(
      Object.entries(ERROR_CODES).map(([code, { category, retryable }]) => [
        code,
        retryable ? `${category} retryable` : category,
      ]),
    ),
    messages: Object.fromEntries(
      MESSAGE_NAMES.filter((name) => SCHEMAS[name]?.['properties'] !== undefined).map((name) => [
        name,
        Object.fromEntries(membersOf(SCHEMAS[name] ?? {}, '')),
      ]),
    ),
  };
}

function membersOf(schema: JsonSchema, path: string): [string, OutlinedMember][] {
  const required = (schema['required'] ?? []) as readonly string[];
  return Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>).flatMap(
    ([name, member]) => {
      const held = resolved(member);
      const rules = Object.fromEntries(Object.entries(held).filter(([keyword]) => !UNTOLD.has(keyword)));
      const own = `${path}/${name}`;
      const items = resolved((held['items'] ?? {}) as JsonSchema);
      return [
        [own, { required: required.includes(name), rules }],
        ...membersOf(held, own),
        ...membersOf(items, `${own}/*`),
      ] as [string, OutlinedMember][];
    },
  );
}
