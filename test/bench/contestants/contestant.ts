import type { Dialect } from '../driver/dialect.ts';
import type { BenchProcess } from '../processes/bench-process.ts';
import type { Workplace } from '../processes/workplace.ts';

/** What every worker of a run is given. */
export interface Surroundings {
  readonly workplace: Workplace;
  readonly amqpUrl: string;
  /** The settings of the platform, as the worker's own variables. */
  readonly platform: Readonly<Record<string, string>>;
  /** Commands in hand at most. */
  readonly prefetch: number;
}

/** A worker that takes commands. */
export interface RunningWorker extends AsyncDisposable {
  readonly process: BenchProcess;
  readonly dialect: Dialect;
  /** Where its commands wait. */
  readonly queue: string;
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
