import { randomBytes } from 'node:crypto';

import { removeQueues, removeTopology } from '../../scripts/broker/remove-topology.ts';
import { Program } from '../../scripts/processes/program.ts';
import { WorkerProcess } from '../../scripts/processes/worker-process.ts';
import { busSpeech, nestSpeech, type Speech } from '../support/speech.ts';
import { asWorker, newPrefix, takesCommands, variablesFor } from './contestants.ts';
import { LoadDriver } from './driver/load-driver.ts';
import { isFaultless, sessionWorkload, type Workload } from './driver/workload.ts';
import type { Stage } from './stage.ts';

/** A service whose start is measured. */
interface Starter {
  readonly name: string;
  /** As the table calls it. */
  readonly label: string;
  readonly queue: string;
  readonly speech: Speech;
  readonly workload: Workload;
  start(): Program;
  /** Takes away what it has declared. */
  remove(): Promise<void>;
}

/** What the table of bounds has of the starts. */
export const NPM_RUN_WORKER = 'npm-run-worker';
const PATIENCE_MS = 60_000;

/** The worker, the worker by way of npm, and the smallest service that Nest's documentation has. */
function starters(stage: Stage): readonly Starter[] {
  const { amqpUrl, workplace } = stage;
  const queue = `hello-${randomBytes(4).toString('hex')}`;
  return [
    worker(
      stage,
      'worker',
      'poker-bridge, built',
      (variables) => new WorkerProcess(variables, workplace.folderOf('this')),
    ),
    worker(stage, NPM_RUN_WORKER, '`npm run worker`', (variables) => {
      return new Program('npm', ['run', '--silent', 'worker'], { HOME: process.env['HOME'], ...variables });
    }),
    {
      name: 'nest-hello-world',
      label: 'Nest’s hello-world microservice',
      start: () => asWorker(workplace.peer('nest-hello-world'), { AMQP_URL: amqpUrl, QUEUE: queue }),
      queue,
      speech: nestSpeech(queue),
      workload: {
        command: () => ({ type: 'hello', data: {} }),
        isRight: (_, answer) => answer === 'Hello World!',
      },
      remove: () => removeQueues(amqpUrl, [queue]),
    },
  ];
}

function worker(
  stage: Stage,
  name: string,
  label: string,
  start: (variables: Record<string, string>) => Program,
): Starter {
  const prefix = newPrefix();
  return {
    name,
    label,
    start: () => start(variablesFor(stage, prefix)),
    queue: `${prefix}.interactive`,
    speech: busSpeech(prefix),
    workload: sessionWorkload,
    remove: () => removeTopology(stage.amqpUrl, prefix),
  };
}

export interface StartResult {
  readonly name: string;
  readonly label: string;
  /** From the start of the process to the first answer. */
  readonly timesMs: number[];
}

/** How long a caller that has sent its command already waits for a service to start, in turns. */
export async function timeStarts(stage: Stage, times: number): Promise<StartResult[]> {
  await using declared = new AsyncDisposableStack();
  const services = starters(stage);
  for (const starter of services) {
    declared.defer(() => starter.remove());
    // Nothing that only a first start has to do: queues, and files that the system has yet to read.
    await using process = starter.start();
    await takesCommands(process, stage.amqpUrl, starter.queue);
  }
  const results = services.map(({ name, label }): StartResult => ({ name, label, timesMs: [] }));
  for (let time = 1; time <= times; time += 1) {
    for (const [index, starter] of services.entries()) {
      const elapsedMs = await timeToFirstAnswer(starter, stage.amqpUrl);
      results[index]?.timesMs.push(elapsedMs);
      console.log(
        `start ${time}  ${starter.name.padEnd(24)}  ${elapsedMs.toFixed(0)} ms to the first answer`,
      );
    }
  }
  return results;
}

async function timeToFirstAnswer({ name, start, speech, workload }: Starter, url: string): Promise<number> {
  await using driver = await LoadDriver.open({ url, speech, workload, patienceMs: PATIENCE_MS });
  const answered = driver.closedLoop({ inFlight: 1, commands: 1 });
  const startedAtMs = performance.now();
  await using process = start();
  await answered;
  const elapsedMs = performance.now() - startedAtMs;
  if (!isFaultless(driver.tally))
    throw new Error(`${name} gave no right answer:\n${process.stdout}${process.stderr}`);
  return elapsedMs;
}
