import { join } from 'node:path';

import { runJest } from '../jest/run-jest.ts';
import { root } from '../root.ts';
import { runTask } from '../run-task.ts';

// One at a time: what runs beside a measurement is part of it.
const options = ['--runInBand', '--testMatch', join(root, 'test', 'timing', '*.spec.ts')];
await runTask(() => runJest(options, process.argv.slice(2)));
