import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { installPackage } from '../apt/install-package.ts';
import { runJest } from '../jest/run-jest.ts';
import { takeRelease } from '../jest/take-release.ts';
import { root } from '../root.ts';
import { runTask } from '../run-task.ts';

/** Debian's packages that the extended tests use, each with a file that it brings. */
const PACKAGES = {
  'python3-pika': '/usr/lib/python3/dist-packages/pika/__init__.py',
  chromium: '/usr/bin/chromium',
};

await runTask(async () => {
  const patterns = await takeRelease(process.argv.slice(2));
  for (const [name, file] of Object.entries(PACKAGES)) if (!existsSync(file)) await installPackage(name);
  // One at a time: a browser and three callers are enough for two cores.
  return runJest(['--runInBand'], [...patterns, join(root, 'test', 'extended')]);
});
