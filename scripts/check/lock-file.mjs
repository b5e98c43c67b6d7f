// Whether `npm ci` would take the lock file: it refuses one that package.json has left behind, or in which a platform
// package of an optional dependency is missing because the registry had none of that version.
import { fileURLToPath } from 'node:url';

import { runNpmCi } from '../launcher/npm-ci.mjs';

const { code, output } = await runNpmCi(fileURLToPath(new URL('../..', import.meta.url)), ['--dry-run']);
if (code !== 0) {
  console.error(output);
  process.exitCode = 1;
}
