import { type Contestant, type RunningWorker, startOurWorker } from './contestants.ts';
import { type LoadDriver, openLoadDriver, type Tally } from './driver/load-driver.ts';
import { percentile, processUsage, usageOf } from './measure.ts';
import type { Stage } from './stage.ts';

/** The amounts of work of one run. */
export interface Plan {
  readonly rounds: number;
  /** The number of warm-up commands before the first measurement of a process. */
  readonly warmUp: number;
  readonly commands: number;
  /** The maximum duration of one measurement, however many commands were sent. */
  readonly closedLoopMs: number;
  /**
   * The maximum number of in-flight commands of a worker. The driver keeps twice as many in the closed loop.
   */
  readonly prefetch: number;
  readonly perSecond: number;
  readonly openLoopMs: number;
  /**
   * How long a separate worker serves only the rate of the open loop while its memory is watched. 0 skips
   * this.
   */
  readonly moderateMs: number;
  /** The size of the report that is read repeatedly. 0 for none. */
  readonly reportRecords: number;
  /** The size of the report during which the memory of a worker is watched; 0 for none. */
  readonly memoryRecords: number;
  /** The number of times that each start is timed. 0 skips this. */
  readonly starts: number;
  /** False skips players during reports, and several workers. */
  readonly isWhole: boolean;
  /** True if each round restarts its processes; otherwise they run from the first round to the last. */
  readonly isFresh: boolean;
}

/** Takes about half an hour. */
export const FULL: Plan = {
  rounds: 3,
  warmUp: 4_000,
  commands: 10_000,
  closedLoopMs: 60_000,
  prefetch: 100,
  perSecond: 300,
  openLoopMs: 30_000,
  moderateMs: 30_000,
  reportRecords: 100_000,
  memoryRecords: 0,
  starts: 5,
  isWhole: true,
  isFresh: true,
};

/** Takes at most two minutes. */
export const QUICK: Plan = {
  ...FULL,
  warmUp: 2_000,
  commands: 3_000,
  closedLoopMs: 2_000,
  openLoopMs: 2_000,
  moderateMs: 5_000,
  reportRecords: 20_000,
  starts: 1,
  isWhole: false,
  isFresh: false,
};

export interface Sample {
  readonly commandsPerSecond: number;
  /** CPU time of the worker for one command of the closed loop. */
  readonly cpuMsPerCommand: number;
  /** The number of processors that unrelated processes used during the closed loop. */
  readonly others: number;
  /** CPU time of the worker for one command of the open loop, which has fewer commands in flight. */
  readonly cpuMsPerCommandAtRate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The figures of a process after its last measurement. */
export interface Finish {
  readonly tally: Tally;
  readonly peakMemoryMib: number;
}

/** The results of one kind of worker in all rounds. */
export interface Result {
  readonly contestant: Omit<Contestant, 'start'>;
  /** One per round, in order. */
  readonly samples: Sample[];
  /** One per process. */
  readonly finishes: Finish[];
}

/** A warmed-up worker, with the driver that has its answers to all commands so far. */
interface Entrant extends AsyncDisposable {
  readonly worker: RunningWorker;
  readonly driver: LoadDriver;
}

async function enter(contestant: Contestant, stage: Stage, plan: Plan): Promise<Entrant> {
  await using parts = new AsyncDisposableStack();
  const worker = parts.use(await contestant.start(stage));
  const driver = parts.use(await openLoadDriver({ url: stage.amqpUrl, inbox: worker.inbox }));
  const { prefetch, warmUp: commands, closedLoopMs: forMs } = plan;
  await driver.closedLoop({ inFlight: 2 * prefetch, commands, forMs });
  const kept = parts.move();
  return { worker, driver, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function takeSample({ worker, driver }: Entrant, stage: Stage, plan: Plan): Promise<Sample> {
  const { prefetch, commands, closedLoopMs, perSecond, openLoopMs } = plan;
  const pids = { ...stage.pids, worker: worker.pid };
  const before = usageOf(pids);
  const closed = await driver.closedLoop({ inFlight: 2 * prefetch, commands, forMs: closedLoopMs });
  const between = usageOf(pids);
  const open = await driver.openLoop({ perSecond, forMs: openLoopMs });
  const after = usageOf(pids);
  return {
    commandsPerSecond: (closed.commands / closed.elapsedMs) * 1_000,
    cpuMsPerCommand: (between.workerMs - before.workerMs) / closed.commands,
    others: (between.othersMs - before.othersMs) / (between.atMs - before.atMs),
    cpuMsPerCommandAtRate: (after.workerMs - between.workerMs) / open.commands,
    p50Ms: percentile(open.latenciesMs, 0.5),
    p99Ms: percentile(open.latenciesMs, 0.99),
  };
}

async function finishOf({ worker, driver }: Pick<Entrant, 'worker' | 'driver'>): Promise<Finish> {
  return { tally: await driver.settle(), peakMemoryMib: processUsage(worker.pid).peakMemoryMib };
}

/**
 * Measures workers in turn, round by round, so that other activity of the machine affects all of them
 * equally. Each round begins with a different worker.
 */
export async function compare(
  stage: Stage,
  contestants: readonly Contestant[],
  plan: Plan,
): Promise<Result[]> {
  const results = contestants.map((contestant): Result => ({ contestant, samples: [], finishes: [] }));
  const entrants = new Map<Contestant, Entrant>();
  await using processes = new AsyncDisposableStack();
  processes.defer(async () => {
    for (const entrant of entrants.values()) await entrant[Symbol.asyncDispose]();
  });
  for (let round = 0; round < plan.rounds; round += 1) {
    for (let turn = 0; turn < contestants.length; turn += 1) {
      const index = (turn + round) % contestants.length;
      const [contestant, result] = [contestants[index] as Contestant, results[index] as Result];
      const entrant = entrants.get(contestant) ?? (await enter(contestant, stage, plan));
      entrants.set(contestant, entrant);
      const sample = await takeSample(entrant, stage, plan);
      result.samples.push(sample);
      console.log(sampleLine(round + 1, contestant.name, sample));
      if (!plan.isFresh && round < plan.rounds - 1) continue;
      result.finishes.push(await finishOf(entrant));
      entrants.delete(contestant);
      await entrant[Symbol.asyncDispose]();
    }
  }
  return results;
}

function sampleLine(round: number, name: string, sample: Sample): string {
  const { cpuMsPerCommand, commandsPerSecond, p50Ms, p99Ms, others } = sample;
  return [
    `round ${round}`,
    name.padEnd(24),
    `${cpuMsPerCommand.toFixed(3)} ms of CPU a command`,
    `${commandsPerSecond.toFixed(0).padStart(5)}/s`,
    `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
    `others ${(others * 100).toFixed(0)} %`,
  ].join('  ');
}

/** Measures the memory of workers that only ever serve a moderate rate. At full speed, it differs. */
export async function moderateMemory(
  stage: Stage,
  { rounds, perSecond, moderateMs: forMs }: Plan,
): Promise<Finish[]> {
  const finishes: Finish[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    await using worker = await startOurWorker(stage);
    await using driver = await openLoadDriver({ url: stage.amqpUrl, inbox: worker.inbox });
    await driver.openLoop({ perSecond, forMs });
    const finish = await finishOf({ worker, driver });
    finishes.push(finish);
    console.log(`round ${round}  at ${perSecond}/s alone: at most ${finish.peakMemoryMib.toFixed(0)} MiB`);
  }
  return finishes;
}
