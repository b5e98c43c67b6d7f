import type { Dialect } from '../driver/dialect.ts';
import type { ServiceProcess } from '../../../scripts/processes/service-process.ts';
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
  /**
   * Starts one worker, with queues of its own, and waits until it takes commands.
   *
   * @param nodeFlags for Node.js beyond those of every worker, such as `--cpu-prof`
   */
  start(surroundings: Surroundings, nodeFlags?: readonly string[]): Promise<RunningWorker>;
}
