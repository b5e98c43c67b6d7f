import type { Contestant, RunningWorker } from '../contestants/contestant.ts';
import type { Tally } from '../driver/ledger.ts';
import { LoadDriver } from '../driver/load-driver.ts';
import { sessionWorkload } from '../driver/workload.ts';
import { type Pids, processUsage, type Shares, sharesBetween, usageOf } from '../measure/usage.ts';
import { percentile } from '../measure/statistics.ts';
import type { Stage } from '../stage/stage.ts';
import type { Plan } from './plan.ts';

/** What one worker did in one round. */
export interface Sample {
  /** Of the closed loop. */
  readonly commandsPerSecond: number;
  /** Processor time of the worker for one command of the closed loop. */
  readonly cpuMsPerCommand: number;
  readonly shares: Shares;
  /** Processor time of the worker for one command of the open loop, in which less is done at once. */
  readonly cpuMsPerCommandAtRate: number;
  /** Of the open loop. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** What is known of a process once it has been measured for the last time. */
export interface Finish {
  readonly tally: Tally;
  readonly peakMemoryMib: number;
}

/** A worker that is warm, with the driver that holds the answers to all that it was ever sent. */
export class Entrant implements AsyncDisposable {
  readonly #stage: Stage;
  readonly #worker: RunningWorker;
  readonly #driver: LoadDriver;
  #ended: Promise<void> | undefined;

  private constructor(stage: Stage, worker: RunningWorker, driver: LoadDriver) {
    this.#stage = stage;
    this.#worker = worker;
    this.#driver = driver;
  }

  static async start(
    contestant: Contestant,
    stage: Stage,
    { prefetch, operators, warmUp, closedLoopMs }: Plan,
  ): Promise<Entrant> {
    const worker = await contestant.start(stage);
    const driver = await LoadDriver.open({
      url: stage.amqpUrl,
      dialect: worker.dialect,
      workload: sessionWorkload(operators),
    });
    await driver.closedLoop({ inFlight: 2 * prefetch, commands: warmUp, forMs: closedLoopMs });
    return new Entrant(stage, worker, driver);
  }

  sample(plan: Plan): Promise<Sample> {
    return takeSample(this.#driver, { ...this.#stage.pids, worker: this.#worker.process.pid }, plan);
  }

  async finish(): Promise<Finish> {
    const tally = await this.#driver.settle();
    return { tally, peakMemoryMib: processUsage(this.#worker.process.pid).peakMemoryMib };
  }

  /** Ends it. A second call waits for the first. */
  [Symbol.asyncDispose](): Promise<void> {
    return (this.#ended ??= this.#end());
  }

  async #end(): Promise<void> {
    await this.#driver[Symbol.asyncDispose]();
    await this.#worker[Symbol.asyncDispose]();
  }
}

/** Measures one worker that is warm: a closed loop, then an open one. */
async function takeSample(driver: LoadDriver, pids: Pids, plan: Plan): Promise<Sample> {
  const { prefetch, commands, closedLoopMs, perSecond, openLoopMs } = plan;
  const before = usageOf(pids);
  const closed = await driver.closedLoop({ inFlight: 2 * prefetch, commands, forMs: closedLoopMs });
  const between = usageOf(pids);
  const open = await driver.openLoop({ perSecond, forMs: openLoopMs });
  const after = usageOf(pids);
  return {
    commandsPerSecond: (closed.commands / closed.elapsedMs) * 1_000,
    cpuMsPerCommand: (between.cpuMs.worker - before.cpuMs.worker) / closed.commands,
    shares: sharesBetween(before, between),
    cpuMsPerCommandAtRate: (after.cpuMs.worker - between.cpuMs.worker) / open.commands,
    p50Ms: percentile(open.latenciesMs, 0.5),
    p99Ms: percentile(open.latenciesMs, 0.99),
  };
}
