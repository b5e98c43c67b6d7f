import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { build } from '../build/build.ts';
import { runJest } from '../jest/run-jest.ts';
import { messageOf } from '../message-of.ts';
import { endWithNpm } from '../processes/end-with-npm.ts';
import { root } from '../root.ts';

endWithNpm();
try {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '50' } } });
  if (!(Number(values.rounds) > 0)) throw new Error(`--rounds ${values.rounds} is no number of rounds`);
  process.env['RECOVERY_ROUNDS'] = values.rounds;
  await build(root);
  process.exitCode = await runJest([
    '--config',
    join(root, 'jest.config.mjs'),
    join(root, 'test', 'extended', 'recovery'),
  ]);
} catch (error) {
  console.error(`poker-bridge: ${messageOf(error)}`);
  process.exitCode = 1;
}
