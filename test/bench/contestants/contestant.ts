import { WORKER } from '../../../scripts/build/programs.ts';
import type { ServiceProcess, ServiceProcessOptions } from '../../../scripts/processes/service-process.ts';
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
