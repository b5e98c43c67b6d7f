import { join, relative } from 'node:path';

import { buildWheel, PYTHON_CLIENT } from '../build-wheel.ts';
import { root } from '../root.ts';
import { runTask } from '../run-task.ts';

await runTask(async () => {
  const wheel = await buildWheel(join(root, PYTHON_CLIENT, 'dist'));
  console.log(`built ${relative(root, wheel)}`);
});
