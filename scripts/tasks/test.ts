import { join } from 'node:path';

import { runJest } from '../jest/run-jest.ts';
import { takeRelease } from '../jest/take-release.ts';
import { root } from '../root.ts';
import { runTask } from '../run-task.ts';

const LEFT_OUT = [
  '/node_modules/',
  // These need more than the machine has from this project; `test:extended` runs them.
  `${join(root, 'test', 'extended')}/`,
  // These measure time, which is another one on a busy machine; `test:timing` runs them.
  `${join(root, 'test', 'timing')}/`,
];

await runTask(async () => {
  const patterns = await takeRelease(process.argv.slice(2));
  return runJest(
    LEFT_OUT.map((pattern) => `--testPathIgnorePatterns=${pattern}`),
    patterns,
  );
});
