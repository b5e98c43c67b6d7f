import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';
import { stringify } from 'yaml';

import { root } from '../root.ts';
import { asyncApiDocument } from './asyncapi/asyncapi-document.ts';
import { EXAMPLES } from './message-examples.ts';
import { MESSAGE_NAMES, standaloneSchema } from './schemas/schemas.ts';

/** Where the documents lie, relative to the repository. */
export const CONTRACT_FOLDER = 'docs/contract';

/**
 * Every contract document that is written from the definitions: its path in `docs/contract`, and its text as Prettier leaves
 * it. `openapi.yaml`, the platform's side, is written by hand; its test holds it to the sandbox and the contracts.
 */
export async function contractFiles(): Promise<ReadonlyMap<string, string>> {
  const schemas = MESSAGE_NAMES.map((name) => {
    const examples = EXAMPLES[name]?.map(({ payload }) => payload) ?? [];
    return [`schemas/${name}.schema.json`, JSON.stringify(standaloneSchema(name, examples))] as const;
  });
  const files = [
    ...schemas,
    ['asyncapi.yaml', stringify(asyncApiDocument(), { aliasDuplicateObjects: false, lineWidth: 0 })] as const,
  ];
  return new Map(
    await Promise.all(
      files.map(async ([path, text]) => [path, await formatted(join(CONTRACT_FOLDER, path), text)] as const),
    ),
  );
}

/**
 * Text as Prettier leaves it in a file.
 *
 * @param path relative to the repository
 */
async function formatted(path: string, text: string): Promise<string> {
  const filepath = join(root, path);
  return format(text, { ...(await resolveConfig(filepath)), filepath });
}
