import { randomBytes } from 'node:crypto';

import { removeQueues, removeTopology } from '../../../scripts/broker/remove-topology.ts';
import { commandOf, WORKER } from '../../../scripts/build/programs.ts';
import { ServiceProcess } from '../../../scripts/processes/service-process.ts';
import { asWorker, takesCommands } from '../contestants/contestant.ts';
import { variablesFor } from '../contestants/ours.ts';
import {
  busDialect,
  type Dialect,
  isFaultless,
  nestDialect,
  sessionWorkload,
  type Workload,
} from '../driver/workload.ts';
import { LoadDriver } from '../driver/load-driver.ts';
import type { Progress } from '../report/progress.ts';
import type { Stage } from '../stage/stage.ts';

/** A service whose start is measured. */
export interface Starter {
  readonly name: string;
  /** As the table calls it. */
  readonly label: string;
  /** Default: Node.js. */
  readonly command?: string;
  readonly args: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly queue: string;
  readonly dialect: Dialect;
  readonly workload: Workload;
  /** Takes away what it has declared. */
  remove(): Promise<void>;
}

/** What the table of bounds has of the starts. */
export const NPM_RUN_WORKER = 'npm-run-worker';

/** The worker, the worker by way of npm, and the smallest service that Nest's documentation has. */
export function starters(stage: Stage): readonly Starter[] {
  const folder = stage.workplace.folderOf('this');
  return [
    worker(stage, 'worker', 'poker-bridge, built', (variables) => commandOf(WORKER, variables, folder)),
    worker(stage, NPM_RUN_WORKER, '`npm run worker`', (variables) => ({
      command: 'npm',
      args: ['run', '--silent', 'worker'],
      variables,
    })),
    helloWorld(stage),
  ];
}

function worker(
  stage: Stage,
  name: string,
  label: string,
  start: (variables: Starter['variables']) => Pick<Starter, 'command' | 'args' | 'variables'>,
): Starter {
  const prefix = `bench-${randomBytes(4).toString('hex')}`;
  return {
    name,
    label,
    ...start({ HOME: process.env['HOME'] ?? '', ...variablesFor(stage, prefix) }),
    queue: `${prefix}.interactive`,
    dialect: busDialect(prefix),
    workload: sessionWorkload(),
    remove: () => removeTopology(stage.amqpUrl, prefix),
  };
}

function helloWorld({ amqpUrl, workplace }: Stage): Starter {
  const queue = `hello-${randomBytes(4).toString('hex')}`;
  return {
    name: 'nest-hello-world',
    label: 'Nest’s hello-world microservice',
    ...asWorker(workplace.peer('nest-hello-world'), { AMQP_URL: amqpUrl, QUEUE: queue }),
    queue,
    dialect: nestDialect(queue),
    workload: {
      command: () => ({ type: 'hello', data: {} }),
      isRight: (_, answer) => answer === 'Hello World!',
    },
    remove: () => removeQueues(amqpUrl, [queue]),
  };
}

const PATIENCE_MS = 60_000;

export interface StartResult {
  readonly name: string;
  readonly label: string;
  /** From the start of the process to the first answer. */
  readonly timesMs: number[];
}

/** How long a caller that has sent its command already waits for a service to start, in turns. */
export async function timeStarts(
  stage: Stage,
  services: readonly Starter[],
  times: number,
  progress: Progress,
): Promise<StartResult[]> {
  await using declared = new AsyncDisposableStack();
  const results = services.map(({ name, label }): StartResult => ({ name, label, timesMs: [] }));
  for (const starter of services) {
    declared.defer(() => starter.remove());
    progress.step(`${starter.name} declares its queues`);
    // Nothing that only a first start has to do: queues, and files that the system has yet to read.
    await using process = startProcess(starter, stage);
    await takesCommands(process, stage.amqpUrl, starter.queue);
  }
  for (let time = 1; time <= times; time += 1) {
    for (const [index, starter] of services.entries()) {
      progress.step(`start ${time} of ${times}, ${starter.name}`);
      const elapsedMs = await timeToFirstAnswer(starter, stage);
      results[index]?.timesMs.push(elapsedMs);
      progress.done(
        `start ${time}  ${starter.name.padEnd(24)}  ${elapsedMs.toFixed(0)} ms to the first answer`,
      );
    }
  }
  return results;
}

async function timeToFirstAnswer(starter: Starter, stage: Stage): Promise<number> {
  const { dialect, workload } = starter;
  await using driver = await LoadDriver.open({
    url: stage.amqpUrl,
    dialect,
    workload,
    patienceMs: PATIENCE_MS,
  });
  const answered = driver.closedLoop({ inFlight: 1, commands: 1 });
  const startedAtMs = performance.now();
  await using process = startProcess(starter, stage);
  await answered;
  const elapsedMs = performance.now() - startedAtMs;
  if (!isFaultless(driver.tally))
    throw new Error(`${starter.name} gave no right answer:\n${process.lastLines}`);
  return elapsedMs;
}

function startProcess({ name, ...how }: Starter, { workplace }: Stage): ServiceProcess {
  return new ServiceProcess({ ...how, log: workplace.log(name) });
}
