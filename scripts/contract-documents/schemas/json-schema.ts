/** A JSON Schema of 2020-12, limited to keywords of draft 07, which AsyncAPI reads. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Definitions;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly [keyword: string]: unknown;
}

export type Definitions = Readonly<Record<string, JsonSchema>>;

export const text = (description: string): JsonSchema => ({ type: 'string', description });

export const count = (description: string): JsonSchema => ({ type: 'integer', minimum: 0, description });

/** An object with these members. @param required default: all of them */
export const objectOf = (properties: Definitions, required = Object.keys(properties)): JsonSchema => ({
  type: 'object',
  ...(required.length > 0 && { required }),
  properties,
});

/** A reference to the schema of that name, wherever the document keeps its definitions. */
export const reference = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });

/**
 * Returns the same schema with its references pointing to another place, for example `#/components/schemas/`.
 */
export function relocated<T>(value: T, place: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', `"${place}`)) as T;
}
