import { randomBytes } from 'node:crypto';

import { commandOf, WORKER } from '../../../scripts/build/programs.ts';
import { removeQueues, removeTopology } from '../../../scripts/broker/remove-topology.ts';
import { asWorker } from '../contestants/contestant.ts';
import { variablesFor } from '../contestants/ours.ts';
import { busDialect, type Dialect, nestDialect, sessionWorkload, type Workload } from '../driver/workload.ts';
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
