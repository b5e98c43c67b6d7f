import { parseArgs } from 'node:util';

import { soakChaosLines } from '../../test/chaos/report.ts';
import { soakChaos } from '../../test/chaos/soak-chaos.ts';
import { chooseRelease, readRelease } from '../broker/releases.ts';
import { build } from '../build/build.ts';
import { root } from '../root.ts';
import { runTask } from '../run-task.ts';

/** A line each minute is enough. */
const QUIET_EVERY = 60;

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
  if (values.release !== undefined) chooseRelease(readRelease(values.release));
  const [minutes, perSecond] = [positive('--minutes', values.minutes), positive('--rate', values.rate)];
  const seed = positive('--seed', values.seed);
  await build(root);
  const commands = Math.round(minutes * 60 * perSecond);
  console.log(`Sends ${commands} commands while deployments and faults happen by chance (seed ${seed}) …`);
  let looks = 0;
  const result = await soakChaos({
    commands,
    perSecond,
    seed,
    onProgress: (line) => {
      looks += 1;
      if (looks % QUIET_EVERY === 0) console.log(line);
    },
  });
  console.log(soakChaosLines(result).join('\n'));
  return result.isSound ? 0 : 1;
});

function positive(option: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new Error(`${option} takes a number above 0`);
}
