import { join } from 'node:path';

import { build } from '../build/build.ts';
import { runJest } from '../jest/run-jest.ts';
import { endWithNpm } from '../processes/end-with-npm.ts';
import { root } from '../root.ts';

endWithNpm();
await build(root);
// One at a time: what runs beside a measurement is part of it.
const args = ['--config', join(root, 'jest.config.mjs'), '--runInBand', ...process.argv.slice(2)];
process.exitCode = await runJest([...args, join(root, 'test', 'timing')]);
