import { extname } from 'node:path';
import { parseArgs } from 'node:util';

import { soak } from '../../test/bench/soak/soak.ts';
import { writePart } from '../../test/bench/report/write-part.ts';
import { isMemoryFlat, resultLines, sampleLine } from '../../test/bench/soak/soak-lines.ts';
import { writeSamples } from '../../test/bench/soak/write-samples.ts';
import { soakChaosLines } from '../../test/chaos/report/soak-chaos-lines.ts';
import { soakChaos } from '../../test/chaos/soak-chaos.ts';
import { chooseRelease, readRelease } from '../broker/releases/releases.ts';
import { startBroker } from '../broker/start-broker.ts';
import { build } from '../build/build.ts';
import { root } from '../root.ts';
import { runTask } from '../run-task.ts';

const MINUTE_MS = 60_000;
/** If the output is no terminal, a line each half minute is enough. */
const QUIET_EVERY = 15;

await runTask(async () => {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      rate: { type: 'string', default: '100' },
      out: { type: 'string', multiple: true, default: [] },
      write: { type: 'boolean', default: false },
      chaos: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      release: { type: 'string' },
    },
  });
  if (values.release !== undefined) chooseRelease(readRelease(values.release));
  const [minutes, perSecond] = [positive('--minutes', values.minutes), positive('--rate', values.rate)];
  for (const file of values.out) {
    if (!['.csv', '.json'].includes(extname(file)))
      throw new Error('--out takes a file that ends in .csv or .json');
  }
  await build(root);
  if (values.chaos) {
    const commands = Math.round(minutes * 60 * perSecond);
    return (await soakUnderChaos({ commands, perSecond, seed: positive('--seed', values.seed) })) ? 0 : 1;
  }
  console.log(
    `Starts a broker, a platform and a worker; then ${perSecond} commands a second for ${minutes} min …`,
  );
  await using broker = await startBroker();
  let looks = 0;
  const result = await soak({
    amqpUrl: broker.url,
    forMs: minutes * MINUTE_MS,
    perSecond,
    onSample: (sample, tally) => {
      looks += 1;
      const line = sampleLine(sample, tally);
      if (process.stdout.isTTY)
        process.stdout.write(`\r\u001B[K${line.slice(0, process.stdout.columns - 1)}`);
      else if (looks % QUIET_EVERY === 0) console.log(line);
    },
  });
  const lines = resultLines(result);
  console.log(lines.join('\n'));
  for (const file of values.out) writeSamples(file, result.samples);
  if (values.write) {
    const made = `${minutes} minutes at ${perSecond} commands a second, a look each two seconds.`;
    writePart('soak', [made, ['```', ...lines.slice(1), '```'].join('\n')]);
  }
  return result.isFaultless && isMemoryFlat(result) !== false ? 0 : 1;
});

async function soakUnderChaos(load: {
  readonly commands: number;
  readonly perSecond: number;
  readonly seed: number;
}): Promise<boolean> {
  console.log(
    `Sends ${load.commands} commands while deployments and faults happen by chance (seed ${load.seed}) …`,
  );
  let looks = 0;
  const result = await soakChaos({
    ...load,
    onProgress: (line) => {
      looks += 1;
      if (looks % (2 * QUIET_EVERY) === 0) console.log(line);
    },
  });
  console.log(soakChaosLines(result).join('\n'));
  return result.isSound;
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new Error(`${option} takes a number above 0`);
}
