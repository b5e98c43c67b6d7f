import { removeTopology } from '../../scripts/broker/remove-topology.ts';
import { withoutPackages } from '../../scripts/launcher/npm-ci.mjs';
import { Program } from '../../scripts/processes/program.ts';
import { WorkerProcess } from '../../scripts/processes/worker-process.ts';
import { newPrefix, takesCommands, variablesFor } from './contestants.ts';
import { inboxOf } from './driver/inbox.ts';
import { isFaultless, openLoadDriver } from './driver/load-driver.ts';
import type { Stage } from './stage.ts';

const PATIENCE_MS = 60_000;

/** Times in milliseconds, one for each start. */
export interface Starts {
  /** From `npm run worker` to the first reply, whose command was sent before. */
  readonly npmMs: number[];
  /** From the command of the image to readiness. */
  readonly imageMs: number[];
}

export async function timeStarts(stage: Stage, starts: number): Promise<Starts> {
  const { amqpUrl: url } = stage;
  const prefix = newPrefix();
  const { HOME, PATH } = process.env;
  const ours = variablesFor(stage, prefix);
  // A person's npm runs on a person's Node.js.
  const variables = { ...ours, HOME, PATH: withoutPackages(PATH) };
  const start = (): Program => new Program('npm', ['run', '--silent', 'worker'], variables);
  await using declared = new AsyncDisposableStack();
  declared.defer(() => removeTopology(url, prefix));
  {
    // Excludes the work of a first start: declaring queues, and reading files that the system has not cached.
    await using first = start();
    await takesCommands(first, url, `${prefix}.interactive`);
  }
  const npmMs: number[] = [];
  const imageMs: number[] = [];
  while (npmMs.length < starts) {
    await using driver = await openLoadDriver({ url, inbox: inboxOf(prefix), patienceMs: PATIENCE_MS });
    const answered = driver.closedLoop({ inFlight: 1, commands: 1 });
    const startedAtMs = performance.now();
    await using worker = start();
    await answered;
    const elapsedMs = performance.now() - startedAtMs;
    if (!isFaultless(driver.tally))
      throw new Error(`npm run worker gave no right answer:\n${worker.stdout}${worker.stderr}`);
    npmMs.push(elapsedMs);
    await worker[Symbol.asyncDispose]();
    const imageAtMs = performance.now();
    await using image = await new WorkerProcess(ours).ready();
    imageMs.push(performance.now() - imageAtMs);
    console.log(
      `start ${npmMs.length}  npm run worker  ${elapsedMs.toFixed(0)} ms to the first answer  ` +
        `the image  ${imageMs.at(-1)?.toFixed(0)} ms until pid ${image.pid} is ready`,
    );
  }
  return { npmMs, imageMs };
}
