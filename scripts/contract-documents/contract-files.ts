import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';
import { stringify } from 'yaml';

import { root } from '../root.ts';
import { asyncApiDocument } from './asyncapi/asyncapi-document.ts';
import { EXAMPLES } from './examples/examples.ts';
import { openApiDocument } from './openapi/openapi-document.ts';
import { MESSAGE_NAMES, standaloneSchema } from './schemas/schemas.ts';

/** Where the documents lie, relative to the repository. */
export const CONTRACT_FOLDER = 'docs/contract';

/** Every contract document: its path in `docs/contract`, and its text as Prettier leaves it. */
export async function contractFiles(): Promise<ReadonlyMap<string, string>> {
  const schemas = MESSAGE_NAMES.map((name) => {
    const examples = EXAMPLES[name]?.map(({ payload }) => payload) ?? [];
    return [`schemas/${name}.schema.json`, JSON.stringify(standaloneSchema(name, examples))] as const;
  });
  const files = [
    ...schemas,
    ['asyncapi.yaml', yaml(asyncApiDocument())] as const,
    ['openapi.yaml', yaml(openApiDocument())] as const,
  ];
  return new Map(
    await Promise.all(
      files.map(async ([path, text]) => [path, await formatted(join(CONTRACT_FOLDER, path), text)] as const),
    ),
  );
}

function yaml(document: object): string {
  return stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 });
}

/**
 * Text as Prettier leaves it in a file.
 *
 * @param path relative to the repository
 */
export async function formatted(path: string, text: string): Promise<string> {
  const filepath = join(root, path);
  return format(text, { ...(await resolveConfig(filepath)), filepath });
}
