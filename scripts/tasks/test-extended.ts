import { join } from 'node:path';

import { installMissing } from '../apt/install-missing.ts';
import { runJest } from '../jest/run-jest.ts';
import { takeRelease } from '../jest/take-release.ts';
import { root } from '../root.ts';
import { runTask } from '../run-task.ts';

/** Debian's packages that the extended tests use, each with a file that it brings. */
const PACKAGES = {
  'python3-pika': '/usr/lib/python3/dist-packages/pika/__init__.py',
  'python3-venv': '/usr/lib/python3.*/ensurepip/__init__.py',
  mypy: '/usr/bin/mypy',
  chromium: '/usr/bin/chromium',
  unzip: '/usr/bin/unzip',
  prometheus: '/usr/bin/promtool',
};

await runTask(async () => {
  const patterns = await takeRelease(process.argv.slice(2));
  await installMissing(PACKAGES);
  const suites = join(root, 'test', 'extended', '**', '*.spec.ts');
  // One at a time: a browser, a Prometheus and three callers are enough for two cores.
  return runJest(['--runInBand', '--testMatch', suites], patterns);
});
