import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { runJest } from '../jest/run-jest.ts';
import { root } from '../root.ts';
import { runTask } from '../run-task.ts';

const MINUTES = '5';
/** With a path, which leads to its case at once and then on to its neighbours. */
const REPLAY_MINUTES = '0.3';

await runTask(() => {
  const { values } = parseArgs({
    options: { minutes: { type: 'string' }, seed: { type: 'string' }, path: { type: 'string' } },
  });
  values.minutes ??= values.path === undefined ? MINUTES : REPLAY_MINUTES;
  if (!(Number(values.minutes) > 0)) throw new Error(`--minutes ${values.minutes} is no time`);
  // The suite reads FUZZ_MINUTES, FUZZ_SEED and FUZZ_PATH.
  for (const [option, value] of Object.entries(values)) process.env[`FUZZ_${option.toUpperCase()}`] = value;
  return runJest([], [join(root, 'test', 'e2e', 'fuzz')]);
});
