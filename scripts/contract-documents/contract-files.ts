import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';
import { stringify } from 'yaml';

import { root } from '../root.ts';
import { asyncApiDocument } from './asyncapi/asyncapi-document.ts';
import { contractLines, RELEASED_LINES, withAdditions } from './compatibility.ts';
import { EXAMPLES } from './message-examples.ts';
import { MESSAGES_DOCUMENT, messagesDocument } from './messages-document.ts';
import { PYTHON_MESSAGES, pythonMessages } from './python-messages.ts';
import { MESSAGE_NAMES, standaloneSchema } from './schemas/schemas.ts';

/** Holds a schema of each message and the AsyncAPI document, relative to the repository. */
export const CONTRACT_FOLDER = 'docs/contract';

/**
 * Every file that is written from the definitions: its path in the repository, and its text. `openapi.yaml`, the platform's
 * side, is written by hand; its test holds it to the sandbox and the contracts.
 */
export async function contractFiles(): Promise<ReadonlyMap<string, string>> {
  const schemas = MESSAGE_NAMES.map((name) => {
    const examples = EXAMPLES[name]?.map(({ payload }) => payload) ?? [];
    return [`schemas/${name}.schema.json`, JSON.stringify(standaloneSchema(name, examples))] as const;
  });
  const asyncApi = stringify(asyncApiDocument(), { aliasDuplicateObjects: false, lineWidth: 0 });
  const documents = [...schemas, ['asyncapi.yaml', asyncApi] as const].map(async ([name, text]) => {
    const path = join(CONTRACT_FOLDER, name);
    const filepath = join(root, path);
    return [path, await format(text, { ...(await resolveConfig(filepath)), filepath })] as const;
  });
  const written = (path: string): string => readFileSync(join(root, path), 'utf8');
  return new Map([
    ...(await Promise.all(documents)),
    [MESSAGES_DOCUMENT, messagesDocument(written(MESSAGES_DOCUMENT))],
    [RELEASED_LINES, withAdditions(written(RELEASED_LINES), contractLines())],
    [PYTHON_MESSAGES, pythonMessages()],
  ]);
}
