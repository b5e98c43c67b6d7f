import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { installPackage } from '../apt/install-package.ts';
import { build } from '../build/build.ts';
import { runJest } from '../jest/run-jest.ts';
import { messageOf } from '../message-of.ts';
import { endWithNpm } from '../processes/end-with-npm.ts';
import { root } from '../root.ts';

/** Debian's packages that the extended tests use, each with a file that it brings. */
const PACKAGES = {
  'python3-pika': '/usr/lib/python3/dist-packages/pika/__init__.py',
  chromium: '/usr/bin/chromium',
};

endWithNpm();
try {
  for (const [name, file] of Object.entries(PACKAGES)) if (!existsSync(file)) await installPackage(name);
  await build(root);
  // One at a time: a browser and three callers are enough for two cores.
  const args = ['--config', join(root, 'jest.config.mjs'), '--runInBand', ...process.argv.slice(2)];
  process.exitCode = await runJest([...args, join(root, 'test', 'extended')]);
} catch (error) {
  console.error(`poker-bridge: ${messageOf(error)}`);
  process.exitCode = 1;
}
