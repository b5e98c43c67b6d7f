import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { build } from '../build/build.ts';
import { runJest } from '../jest/run-jest.ts';
import { messageOf } from '../message-of.ts';
import { endWithNpm } from '../processes/end-with-npm.ts';
import { root } from '../root.ts';

/** What each option sets for the suite. */
const VARIABLES = { minutes: 'FUZZ_MINUTES', seed: 'FUZZ_SEED', path: 'FUZZ_PATH' } as const;
const MINUTES = '5';
/** With a path, which leads to its case at once and then on to its neighbours. */
const REPLAY_MINUTES = '0.3';

endWithNpm();
try {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string' },
      seed: { type: 'string' },
      path: { type: 'string' },
    },
  });
  values.minutes ??= values.path === undefined ? MINUTES : REPLAY_MINUTES;
  if (!(Number(values.minutes) > 0)) throw new Error(`--minutes ${values.minutes} is no time`);
  for (const [option, variable] of Object.entries(VARIABLES)) {
    const value = values[option as keyof typeof VARIABLES];
    if (value !== undefined) process.env[variable] = value;
  }
  await build(root);
  process.exitCode = await runJest([
    '--config',
    join(root, 'jest.config.mjs'),
    join(root, 'test', 'e2e', 'fuzz'),
  ]);
} catch (error) {
  console.error(`poker-bridge: ${messageOf(error)}`);
  process.exitCode = 1;
}
