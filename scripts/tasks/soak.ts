import { parseArgs } from 'node:util';

import { soakChaosLines } from '../../test/chaos/report.ts';
import { soakChaos } from '../../test/chaos/soak-chaos.ts';
import { chooseRelease } from '../broker/installation.ts';
import { build } from '../build/build.ts';
import { root } from '../root.ts';
import { readCount, readPositive, runTask } from '../run-task.ts';

/** Two workers under load for some minutes, with deployments and faults by chance. */
await runTask(async () => {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      rate: { type: 'string', default: '100' },
      seed: { type: 'string', default: '1' },
      release: { type: 'string' },
    },
  });
  if (values.release !== undefined) chooseRelease(values.release);
  const minutes = readPositive('minutes', values.minutes);
  const perSecond = readPositive('rate', values.rate);
  const seed = readCount('seed', values.seed);
  await build(root);
  const commands = Math.round(minutes * 60 * perSecond);
  console.log(`Sends ${commands} commands while deployments and faults happen by chance (seed ${seed}) …`);
  const result = await soakChaos({ commands, perSecond, seed });
  console.log(soakChaosLines(result).join('\n'));
  return result.isSound ? 0 : 1;
});
