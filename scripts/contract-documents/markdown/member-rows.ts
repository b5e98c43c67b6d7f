import type { JsonSchema } from '../schemas/json-schema.ts';
import { resolved } from '../schemas/schemas.ts';

/** The name of a setting, and what Markdown would read as emphasis. */
const AS_CODE = /\b[A-Z]+(_[A-Z]+)+\b|\*{3}/g;

/** One member of a message as a row of a table. */
interface Row {
  /** `player.id`; of what an array holds `errors[].detail`. */
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly meaning: string;
}

/** A row for each member of a schema, those of the objects in it behind their own. */
export function memberRows(schema: JsonSchema, prefix = ''): readonly Row[] {
  const required = (schema['required'] ?? []) as readonly string[];
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  return properties.flatMap(([member, own]) => {
    const name = prefix + member;
    const held = resolved(own);
    const items = resolved((held['items'] ?? {}) as JsonSchema);
    const row = { name, type: typeOf(held), isRequired: required.includes(member), meaning: meaningOf(own) };
    return [row, ...memberRows(held, `${name}.`), ...memberRows(items, `${name}[].`)];
  });
}

/** Launch options are an object, or a string that holds one. */
function typeOf({ type = 'object' }: JsonSchema): string {
  return String(type);
}

function meaningOf({ description, ...schema }: JsonSchema): string {
  const rule = ruleOf(schema);
  const text = rule === undefined ? (description as string) : `${description as string} ${rule}`;
  return text.replace(AS_CODE, '`$&`');
}

/** What the type does not say yet. Of error codes there is a document. */
function ruleOf({ title, enum: values, minimum, maximum }: JsonSchema): string | undefined {
  if (typeof title === 'string') return `${title.charAt(0).toUpperCase()}${title.slice(1)}.`;
  if (Array.isArray(values) && values.length < 5)
    return `${values.map((value) => `\`${value}\``).join(' or ')}.`;
  if (minimum !== 1) return undefined;
  return maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
    ? 'From 1.'
    : `1 to ${Number(maximum)}.`;
}
