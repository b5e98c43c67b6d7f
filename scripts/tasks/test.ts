import { join } from 'node:path';

import { build } from '../build/build.ts';
import { runJest } from '../jest/run-jest.ts';
import { endWithNpm } from '../processes/end-with-npm.ts';
import { root } from '../root.ts';

endWithNpm();
await build(root);
process.exitCode = await runJest([
  '--testPathIgnorePatterns=/node_modules/',
  // These need more than the machine has from this project; `test:extended` runs them.
  `--testPathIgnorePatterns=${join(root, 'test', 'extended')}/`,
  // These measure time, which is another one on a busy machine; `test:timing` runs them.
  `--testPathIgnorePatterns=${join(root, 'test', 'timing')}/`,
  // Behind an option with one value, further arguments are not taken for more of its patterns.
  '--config',
  join(root, 'jest.config.mjs'),
  ...process.argv.slice(2),
]);
