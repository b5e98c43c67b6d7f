import type { Contestant, RunningWorker } from '../contestants/contestant.ts';
import { OurWorker } from '../contestants/ours.ts';
import { sessionWorkload, type Tally } from '../driver/workload.ts';
import { LoadDriver } from '../driver/load-driver.ts';
import {
  percentile,
  type Pids,
  processUsage,
  type Shares,
  sharesBetween,
  usageOf,
} from '../measure/measure.ts';
import type { Progress } from '../report/progress.ts';
import type { Stage } from '../stage/stage.ts';

/** How much of everything one run does. */
export interface Plan {
  readonly rounds: number;
  /** Commands before the first measurement of a process. */
  readonly warmUp: number;
  /** Commands of one closed loop. */
  readonly commands: number;
  /** How long one sends at most, whatever it has sent by then. */
  readonly closedLoopMs: number;
  /** Commands that a worker has in flight at most; the driver keeps twice as many in the closed loop. */
  readonly prefetch: number;
  /** The rate of the open loop. */
  readonly perSecond: number;
  readonly openLoopMs: number;
  /** How long a worker of its own has nothing but the rate of the open loop, while its memory is watched; 0 for not at all. */
  readonly moderateMs: number;
  /** Of the report that is read again and again; 0 for not at all. */
  readonly reportRecords: number;
  /** How often each start is timed; 0 for not at all. */
  readonly starts: number;
  /** Whether each round starts its processes again, or all of them run from the first to the last. */
  readonly isFresh: boolean;
}

/** About ten minutes. */
export const FULL: Plan = {
  rounds: 3,
  warmUp: 4_000,
  commands: 10_000,
  closedLoopMs: 60_000,
  prefetch: 100,
  perSecond: 300,
  openLoopMs: 10_000,
  moderateMs: 30_000,
  reportRecords: 100_000,
  starts: 5,
  isFresh: true,
};

/** Within two minutes. */
export const QUICK: Plan = {
  ...FULL,
  warmUp: 2_000,
  commands: 3_000,
  closedLoopMs: 2_000,
  openLoopMs: 2_000,
  moderateMs: 5_000,
  reportRecords: 20_000,
  starts: 1,
  isFresh: false,
};

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
class Entrant implements AsyncDisposable {
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
    { prefetch, warmUp, closedLoopMs }: Plan,
  ): Promise<Entrant> {
    const worker = await contestant.start(stage);
    const driver = await LoadDriver.open({
      url: stage.amqpUrl,
      dialect: worker.dialect,
      workload: sessionWorkload(),
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

/**
 * The memory of workers that never have more than a moderate rate, one after the other. That of a worker that was also
 * at full speed would show the peak of that.
 */
export async function moderateMemory(stage: Stage, plan: Plan, progress: Progress): Promise<Finish[]> {
  const { rounds, perSecond, moderateMs: forMs } = plan;
  const finishes: Finish[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    progress.step(`memory at ${perSecond}/s, round ${round} of ${rounds}`);
    await using worker = await OurWorker.start(stage);
    await using driver = await LoadDriver.open({ url: stage.amqpUrl, dialect: worker.dialect });
    await driver.openLoop({ perSecond, forMs });
    const tally = await driver.settle();
    const { peakMemoryMib } = processUsage(worker.process.pid);
    finishes.push({ tally, peakMemoryMib });
    progress.done(
      `round ${round}  memory of a worker at ${perSecond}/s alone: at most ${peakMemoryMib.toFixed(0)} MiB`,
    );
  }
  return finishes;
}

/** What one kind of worker did in all rounds. */
export interface Result {
  readonly contestant: Pick<Contestant, 'name' | 'label' | 'queueType'>;
  /** One a round, in their order. */
  readonly samples: Sample[];
  /** One a process. */
  readonly finishes: Finish[];
}

/**
 * Measures workers in turn, round by round, so that whatever else the machine does meets all of them; each round
 * begins with another.
 */
export async function compare(
  stage: Stage,
  contestants: readonly Contestant[],
  plan: Plan,
  progress: Progress,
): Promise<Result[]> {
  const results = contestants.map((contestant): Result => ({ contestant, samples: [], finishes: [] }));
  const kept = new Map<string, Entrant>();
  await using processes = new AsyncDisposableStack();
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const index of rotated(contestants.length, round)) {
      const [contestant, result] = [contestants[index], results[index]];
      if (contestant === undefined || result === undefined) continue;
      const { name } = contestant;
      progress.step(`round ${round + 1} of ${plan.rounds}, ${name}`);
      const entrant = kept.get(name) ?? processes.use(await Entrant.start(contestant, stage, plan));
      kept.set(name, entrant);
      const sample = await entrant.sample(plan);
      result.samples.push(sample);
      if (plan.isFresh || round === plan.rounds - 1) {
        result.finishes.push(await entrant.finish());
        await entrant[Symbol.asyncDispose]();
        kept.delete(name);
      }
      progress.done(sampleLine(round + 1, name, sample));
    }
  }
  return results;
}

function rotated(count: number, by: number): number[] {
  return Array.from({ length: count }, (_, index) => (index + by) % count);
}

/** One line that tells of one sample while the run goes on. */
function sampleLine(round: number, name: string, sample: Sample): string {
  const { cpuMsPerCommand, commandsPerSecond, p50Ms, p99Ms, shares } = sample;
  return [
    `round ${round}`,
    name.padEnd(24),
    `${cpuMsPerCommand.toFixed(3)} ms of CPU a command`,
    `${commandsPerSecond.toFixed(0).padStart(5)}/s`,
    `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
    Object.entries(shares.parts)
      .map(([part, share]) => `${part} ${(share * 100).toFixed(0)} %`)
      .join(', '),
  ].join('  ');
}
