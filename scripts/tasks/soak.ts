import { soakChaosLines } from '../../lab/chaos/report.ts';
import { soakChaos } from '../../lab/chaos/soak-chaos.ts';
import { chooseRelease } from '../broker/installation.ts';
import { build } from '../build/build.ts';
import { readOptions, runTask } from '../run-task.ts';

/** Runs two workers under load for some minutes, with random deployments and faults. */
await runTask(async () => {
  const { minutes, rate, seed, release } = readOptions({ minutes: 10, rate: 100, seed: 1, release: String });
  chooseRelease(release);
  await build();
  const commands = Math.round(minutes * 60 * rate);
  console.log(`Sends ${commands} commands with random deployments and faults (seed ${seed}) …`);
  const result = await soakChaos({ commands, perSecond: rate, seed });
  console.log(soakChaosLines(result).join('\n'));
  return result.isSound;
});
