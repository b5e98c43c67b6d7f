import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { bench } from '../../test/bench/bench.ts';
import { FULL, QUICK } from '../../test/bench/runs/plan.ts';
import { build } from '../build/build.ts';
import { messageOf } from '../message-of.ts';
import { endWithNpm } from '../processes/end-with-npm.ts';
import { root } from '../root.ts';

endWithNpm();
try {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      rounds: { type: 'string' },
      commands: { type: 'string' },
      against: { type: 'string' },
      profile: { type: 'boolean', default: false },
    },
  });
  const plan = values.quick ? QUICK : FULL;
  await build(root);
  await bench({
    plan: {
      ...plan,
      rounds: Number(values.rounds ?? plan.rounds),
      commands: Number(values.commands ?? plan.commands),
    },
    only: values.only?.split(',') ?? [],
    other: values.against === undefined ? undefined : resolve(values.against),
    isProfile: values.profile,
  });
  process.exit(0);
} catch (error) {
  console.error(`poker-bridge: ${messageOf(error)}`);
  process.exit(1);
}
