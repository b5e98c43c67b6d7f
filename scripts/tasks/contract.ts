import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { build } from '../build/build.ts';
import { root } from '../root.ts';

await build(root);
// Imports the built code, so not before it is built.
const { CONTRACT_FOLDER, contractFiles } = await import('../contract-documents/contract-files.ts');
const { MESSAGES_DOCUMENT, messagesDocument } = await import('../contract-documents/messages-document.ts');
const { contractLines, RELEASED_LINES, withAdditions } =
  await import('../contract-documents/compatibility.ts');
const files = await contractFiles();
const folder = join(root, CONTRACT_FOLDER);
rmSync(join(folder, 'schemas'), { recursive: true, force: true });
for (const [path, text] of files) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
const record = join(root, RELEASED_LINES);
writeFileSync(record, withAdditions(readFileSync(record, 'utf8'), contractLines()));
const tables = join(root, MESSAGES_DOCUMENT);
writeFileSync(tables, messagesDocument(readFileSync(tables, 'utf8')));
const { PYTHON_MESSAGES, pythonMessages } = await import('../contract-documents/python-messages.ts');
writeFileSync(join(root, PYTHON_MESSAGES), pythonMessages());
console.log(`${files.size} documents in ${CONTRACT_FOLDER}, and the tables of ${MESSAGES_DOCUMENT}`);
