import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { build } from '../build/build.ts';
import { root } from '../root.ts';

await build(root);
// Imports the built code, so not before it is built.
const { CONTRACT_FOLDER, contractFiles } = await import('../contract-documents/contract-files.ts');
const { MESSAGES_DOCUMENT, messagesDocument } =
  await import('../contract-documents/markdown/messages-document.ts');
const files = await contractFiles();
const folder = join(root, CONTRACT_FOLDER);
rmSync(folder, { recursive: true, force: true });
for (const [path, text] of files) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
const { RELEASED_OUTLINE, withAdditions } =
  await import('../contract-documents/compatibility/released-outline.ts');
const { contractOutline } = await import('../contract-documents/compatibility/contract-outline.ts');
const record = join(root, RELEASED_OUTLINE);
writeFileSync(record, await withAdditions(readFileSync(record, 'utf8'), contractOutline()));
const tables = join(root, MESSAGES_DOCUMENT);
writeFileSync(tables, await messagesDocument(readFileSync(tables, 'utf8')));
const { pythonFiles } = await import('../contract-documents/python/python-files.ts');
for (const [path, text] of await pythonFiles()) writeFileSync(join(root, path), text);
console.log(`${files.size} documents in ${CONTRACT_FOLDER}, and the tables of ${MESSAGES_DOCUMENT}`);
