import { type Contestant, type RunningWorker, startOurWorker } from './contestants.ts';
import { type LoadDriver, openLoadDriver, type Tally } from './driver/load-driver.ts';
import { percentile, processUsage, usageOf } from './measure.ts';
import type { Stage } from './stage.ts';

/** How much of everything one run does. */
export interface Plan {
  readonly rounds: number;
  /** Commands before the first measurement of a process. */
  readonly warmUp: number;
  readonly commands: number;
  /** How long one sends at most, whatever it has sent by then. */
  readonly closedLoopMs: number;
  /** Commands that a worker has in flight at most; the driver keeps twice as many in the closed loop. */
  readonly prefetch: number;
  readonly perSecond: number;
  readonly openLoopMs: number;
  /** How long a worker of its own has nothing but the rate of the open loop, while its memory is watched; 0 for not at all. */
  readonly moderateMs: number;
  /** The size of the report that is read again and again; 0 for none. */
  readonly reportRecords: number;
  /** The size of the report during which the memory of a worker is watched; 0 for none. */
  readonly memoryRecords: number;
  /** How often each start is timed; 0 for not at all. */
  readonly starts: number;
  /** Whether each round starts its processes again, or all of them run from the first to the last. */
  readonly isFresh: boolean;
}

/** About twelve minutes. */
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
  memoryRecords: 0,
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

export interface Sample {
  readonly commandsPerSecond: number;
  /** Processor time of the worker for one command of the closed loop. */
  readonly cpuMsPerCommand: number;
  /** Processors that were busy with processes of others during the closed loop. */
  readonly others: number;
  /** Processor time of the worker for one command of the open loop, in which less is done at once. */
  readonly cpuMsPerCommandAtRate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** What is known of a process once it has been measured for the last time. */
export interface Finish {
  readonly tally: Tally;
  readonly peakMemoryMib: number;
}

/** What one kind of worker did in all rounds. */
export interface Result {
  readonly contestant: Omit<Contestant, 'start'>;
  /** One a round, in their order. */
  readonly samples: Sample[];
  /** One a process. */
  readonly finishes: Finish[];
}

/** A worker that is warm, with the driver that holds the answers to all that it was ever sent. */
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
 * Measures workers in turn, round by round, so that whatever else the machine does meets all of them; each round
 * begins with another.
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

/** The memory of workers that never have more than a moderate rate; at full speed it is another. */
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
