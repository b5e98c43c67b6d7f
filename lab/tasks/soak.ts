import { chooseRelease } from '../../scripts/broker/installation.ts';
import { build } from '../../scripts/build/build.ts';
import { readOptions, runTask } from '../../scripts/run-task.ts';
import { soakChaosLines } from '../chaos/report.ts';
import { soakChaos } from '../chaos/soak-chaos.ts';

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
