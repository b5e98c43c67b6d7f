import { removeTopology } from '../../scripts/broker/remove-topology.ts';
import { withoutPackages } from '../../scripts/launcher/npm-ci.mjs';
import { Program } from '../../scripts/processes/program.ts';
import { newPrefix, takesCommands, variablesFor } from './contestants.ts';
import { inboxOf } from './driver/inbox.ts';
import { isFaultless, openLoadDriver } from './driver/load-driver.ts';
import type { Stage } from './stage.ts';

const PATIENCE_MS = 60_000;

/**
 * Measures how long a caller waits if it has sent its command before `npm run worker` starts. Returns the
 * time of each start, in milliseconds.
 */
export async function timeStarts(stage: Stage, starts: number): Promise<number[]> {
  const { amqpUrl: url } = stage;
  const prefix = newPrefix();
  const { HOME, PATH } = process.env;
  // A person's npm runs on a person's Node.js.
  const variables = { ...variablesFor(stage, prefix), HOME, PATH: withoutPackages(PATH) };
  const start = (): Program => new Program('npm', ['run', '--silent', 'worker'], variables);
  await using declared = new AsyncDisposableStack();
  declared.defer(() => removeTopology(url, prefix));
  {
    // Excludes the work of a first start: declaring queues, and reading files that the system has not cached.
    await using first = start();
    await takesCommands(first, url, `${prefix}.interactive`);
  }
  const timesMs: number[] = [];
  while (timesMs.length < starts) {
    await using driver = await openLoadDriver({ url, inbox: inboxOf(prefix), patienceMs: PATIENCE_MS });
    const answered = driver.closedLoop({ inFlight: 1, commands: 1 });
    const startedAtMs = performance.now();
    await using worker = start();
    await answered;
    const elapsedMs = performance.now() - startedAtMs;
    if (!isFaultless(driver.tally))
      throw new Error(`npm run worker gave no right answer:\n${worker.stdout}${worker.stderr}`);
    timesMs.push(elapsedMs);
    console.log(`start ${timesMs.length}  npm run worker  ${elapsedMs.toFixed(0)} ms to the first answer`);
  }
  return timesMs;
}
