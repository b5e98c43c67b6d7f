/** A schema of JSON Schema 2020-12, in the words that draft 07 has as well: AsyncAPI reads that. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Schemas that others refer to, by name. */
export type Definitions = Readonly<Record<string, JsonSchema>>;

type OptionalKey<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];

/** A schema for each member of `T`, and which of them may be absent: a member that is added to `T` does not compile without. */
export interface ObjectMembers<T> {
  readonly members: { readonly [K in keyof T]-?: JsonSchema };
  readonly optional: { readonly [K in OptionalKey<T>]: true };
}

/** An object that may hold further members: callers ignore what they do not know. */
export function openObject<T>({ members, optional }: ObjectMembers<T>, rest: JsonSchema = {}): JsonSchema {
  const required = Object.keys(members).filter((name) => !(name in optional));
  return { type: 'object', ...rest, required, properties: members };
}

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
