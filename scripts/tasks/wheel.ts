import { join, relative } from 'node:path';

import { BUILD_PACKAGES, buildWheel, PYTHON_CLIENT } from '../build-wheel.ts';
import { installMissing } from '../debian.ts';
import { root } from '../root.ts';
import { readOptions, runTask } from '../run-task.ts';

await runTask(async () => {
  const { install } = readOptions({ install: Boolean });
  if (install) await installMissing(BUILD_PACKAGES);
  const wheel = await buildWheel(join(root, PYTHON_CLIENT, 'dist'));
  console.log(`built ${relative(root, wheel)}`);
});
