import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { build } from '../build/build.ts';
import { root } from '../root.ts';

await build(root);
// Imports the built code, so not before it is built.
const { CONTRACT_FOLDER, contractFiles } = await import('../contract-documents/contract-files.ts');
const files = await contractFiles();
const folder = join(root, CONTRACT_FOLDER);
rmSync(folder, { recursive: true, force: true });
for (const [path, text] of files) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
console.log(`${files.size} documents in ${CONTRACT_FOLDER}`);
