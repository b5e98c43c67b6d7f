import { COMMANDS, SCHEMA_VERSION } from '#contracts';

import type { JsonSchema } from '../schemas/json-schema.ts';
import { standaloneSchema } from '../schemas/schemas.ts';

/** Validated by a function of its own: `launch_options.py`. */
const LAUNCH_OPTIONS = /^Launch/;
/** What `validation.py` checks, and what it may pass over. */
const KEYWORDS: ReadonlySet<string> = new Set(
  '$ref additionalProperties enum maxLength maximum minLength minimum not pattern properties required title type'.split(
    ' ',
  ),
);
const TYPES = new Set(['object', 'string', 'integer', 'boolean']);

/** The commands with what the Python client validates: their schemas without descriptions and examples. */
export function pythonContract(): object {
  const commands = COMMANDS.map(({ type, lane, replies }) => {
    const { properties, required, $defs = {} } = standaloneSchema(type, []) as Record<string, JsonSchema>;
    const definitions = Object.entries($defs)
      .filter(([name]) => !LAUNCH_OPTIONS.test(name))
      .map(([name, schema]) => [name, checkedSchema(schema as JsonSchema)]);
    const schema = {
      ...checkedSchema({ type: 'object', required, properties }),
      ...(definitions.length > 0 && { $defs: Object.fromEntries(definitions) as JsonSchema }),
    };
    return [type, { lane, replies: replies.map((reply) => reply.type), schema }];
  });
  return { schemaVersion: SCHEMA_VERSION, commands: Object.fromEntries(commands) as object };
}

/**
 * A schema without what is for readers.
 *
 * @throws TypeError for what the Python client does not check: it would send what the worker refuses
 */
function checkedSchema({ properties, ...described }: JsonSchema): JsonSchema {
  const rest = Object.fromEntries(Object.entries(described).filter(([keyword]) => keyword !== 'description'));
  const unknown = Object.keys(rest).find((keyword) => !KEYWORDS.has(keyword));
  if (unknown !== undefined) throw new TypeError(`validation.py of libs/caller-python has no ${unknown}`);
  if (rest['$ref'] === undefined && !TYPES.has(String(rest['type'])))
    throw new TypeError(`validation.py of libs/caller-python has no type ${String(rest['type'])}`);
  if (properties === undefined) return rest;
  const members = Object.entries(properties as Record<string, JsonSchema>);
  return {
    ...rest,
    properties: Object.fromEntries(members.map(([name, member]) => [name, checkedSchema(member)])),
  };
}
