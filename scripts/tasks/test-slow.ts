import { join } from 'node:path';

import { runJest } from '../jest/run-jest.ts';
import { takeRelease } from '../jest/take-release.ts';
import { root } from '../root.ts';
import { runTask } from '../run-task.ts';

await runTask(async () => {
  const patterns = await takeRelease(process.argv.slice(2));
  return runJest(['--testMatch', join(root, '**', '*.slow.spec.ts')], patterns);
});
