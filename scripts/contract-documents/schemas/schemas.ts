import { SCHEMA_VERSION } from '#contracts';

import type { Definitions, JsonSchema } from './json-schema.ts';
import { messageSchemas } from './message-schemas.ts';
import { PACKET_SCHEMAS } from './packet-schemas.ts';

/** Every schema of the bus by its name: those of messages hold a dot, those that others refer to do not. */
export const SCHEMAS: Definitions = {
  ...messageSchemas(),
  ...PACKET_SCHEMAS,
};

/** The names of the schemas that are whole messages. */
export const MESSAGE_NAMES: readonly string[] = Object.keys(SCHEMAS).filter((name) => name.includes('.'));

/** One message's schema as a document of its own, with the definitions that it needs. */
export function standaloneSchema(name: string, examples: readonly unknown[]): JsonSchema {
  const needed = new Set<string>();
  collect(SCHEMAS[name], needed);
  const definitions = Object.entries(SCHEMAS).filter(([candidate]) => needed.has(candidate));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:poker-bridge:contract:${SCHEMA_VERSION}:${name}`,
    title: name,
    ...SCHEMAS[name],
    examples,
    ...(definitions.length > 0 && { $defs: Object.fromEntries(definitions) }),
  };
}

function collect(schema: unknown, found: Set<string>): void {
  for (const [, name = ''] of JSON.stringify(schema).matchAll(/"#\/\$defs\/([^"]+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    collect(SCHEMAS[name], found);
  }
}
