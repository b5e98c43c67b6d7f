import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { runJest } from '../jest/run-jest.ts';
import { root } from '../root.ts';
import { runTask } from '../run-task.ts';

await runTask(() => {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '50' } } });
  if (!(Number(values.rounds) > 0)) throw new Error(`--rounds ${values.rounds} is no number of rounds`);
  process.env['RECOVERY_ROUNDS'] = values.rounds;
  return runJest([], [join(root, 'test', 'extended', 'recovery')]);
});
