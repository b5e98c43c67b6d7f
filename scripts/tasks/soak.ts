import { soakChaosLines } from '../../test/chaos/report.ts';
import { soakChaos } from '../../test/chaos/soak-chaos.ts';
import { chooseRelease } from '../broker/installation.ts';
import { build } from '../build/build.ts';
import { root } from '../root.ts';
import { readCount, readOptions, readPositive, runTask } from '../run-task.ts';

/** Two workers under load for some minutes, with deployments and faults by chance. */
await runTask(async () => {
  const values = readOptions({ minutes: '10', rate: '100', seed: '1', release: undefined });
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
