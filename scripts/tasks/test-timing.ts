import { join } from 'node:path';

import { runJest } from '../jest/run-jest.ts';
import { root } from '../root.ts';
import { runTask } from '../run-task.ts';

// One at a time: what runs beside a measurement is part of it.
await runTask(() => runJest(['--runInBand'], [...process.argv.slice(2), join(root, 'test', 'timing')]));
