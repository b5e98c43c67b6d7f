import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { build } from '../build/build.ts';
import { root } from '../root.ts';

await build();
// Imported here because it uses the built code.
const { CONTRACT_FOLDER, contractFiles } = await import('../contract-documents/contract-files.ts');
const files = await contractFiles();
rmSync(join(root, CONTRACT_FOLDER, 'schemas'), { recursive: true, force: true });
for (const [path, text] of files) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
console.log(
  `wrote ${files.size} files from the definitions of the messages, most of them in ${CONTRACT_FOLDER}`,
);
