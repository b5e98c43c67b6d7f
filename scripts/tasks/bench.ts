import { parseArgs } from 'node:util';

import { bench } from '../../test/bench/bench.ts';
import { build } from '../build/build.ts';
import { messageOf } from '../message-of.ts';
import { endWithNpm } from '../processes/end-with-npm.ts';
import { root } from '../root.ts';

endWithNpm();
try {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      rounds: { type: 'string', default: '3' },
      commands: { type: 'string', default: '10000' },
    },
  });
  await build(root);
  await bench(values.only.split(',').filter(Boolean), Number(values.rounds), Number(values.commands));
  process.exit(0);
} catch (error) {
  console.error(`poker-bridge: ${messageOf(error)}`);
  process.exit(1);
}
