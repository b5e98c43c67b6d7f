import { WORKER } from '../../../scripts/build/programs.ts';
import type { ServiceProcess, ServiceProcessOptions } from '../../../scripts/processes/service-process.ts';
import { openConnection } from '../../support/broker.ts';
import type { Dialect } from '../driver/workload.ts';
import type { Stage } from '../stage/stage.ts';

/** What a worker that is measured is given. */
export type Surroundings = Pick<Stage, 'workplace' | 'amqpUrl' | 'platform' | 'prefetch'>;

/** A worker that takes commands. */
export interface RunningWorker extends AsyncDisposable {
  readonly process: ServiceProcess;
  readonly dialect: Dialect;
}

/** One kind of worker that is measured. */
export interface Contestant {
  /** Unique in a run, for example `bare-classic`. */
  readonly name: string;
  /** As the table calls it. */
  readonly label: string;
  readonly queueType: 'classic' | 'quorum';
  /** Starts one worker, with queues of its own, and waits until it takes commands. */
  start(surroundings: Surroundings): Promise<RunningWorker>;
}

/** How Node.js runs every program that is measured, ours and others: with the flags and the environment of a worker. */
export function asWorker(
  program: string,
  variables: Readonly<Record<string, string>>,
): Pick<ServiceProcessOptions, 'args' | 'variables'> {
  return { args: [...WORKER.flags, program], variables: { ...WORKER.environment, ...variables } };
}

const TIMEOUT_MS = 30_000;

/**
 * Waits until a worker consumes from a queue.
 *
 * @throws {Error} with its last lines, if it ends instead
 */
export async function takesCommands(process: ServiceProcess, amqpUrl: string, queue: string): Promise<void> {
  const { connection } = await openConnection(amqpUrl);
  const consumesFrom = async (): Promise<boolean> => {
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    // A queue that is not there yet closes the channel.
    const found = await channel.checkQueue(queue).catch(() => undefined);
    if (found !== undefined) await channel.close();
    return found !== undefined && found.consumerCount > 0;
  };
  try {
    await process.until(`take commands from ${queue}`, consumesFrom, TIMEOUT_MS);
  } finally {
    await connection.close();
  }
}
