import { markdownTable } from 'markdown-table';

import { startRedis } from '../../../scripts/redis/start-redis.ts';
import { OurWorkers } from '../contestants/ours.ts';
import { isFaultless } from '../driver/ledger.ts';
import { LoadDriver } from '../driver/load-driver.ts';
import { median, percentile, spreadOf } from '../measure/statistics.ts';
import { describeMachine, machineLine } from '../report/machine.ts';
import { Progress } from '../report/progress.ts';
import type { Table } from '../report/tables.ts';
import { writePart } from '../report/write-part.ts';
import { openStage, type Stage } from '../stage/stage.ts';

export interface BenchRedisOptions {
  readonly rounds: number;
  /** Of one worker in one round. */
  readonly forMs: number;
  /** Whether the documentation gets what is found out. */
  readonly isWritten: boolean;
}

interface Measurement {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMsPerCommand: number;
}

const PER_SECOND = 300;
const WARM_UP = { inFlight: 100, commands: 3_000 };
/** What the check may add at p50. */
const BOUND_MS = 2;

/**
 * Measures what the memory of commands in Redis adds to the time of an answer: two workers, one with it and one
 * without, in turn.
 *
 * @returns whether it adds less than 2 ms at p50
 * @throws {Error} where not each command got exactly one right answer
 */
export async function benchRedis({ rounds, forMs, isWritten }: BenchRedisOptions): Promise<boolean> {
  console.log('A private RabbitMQ and a private Redis start …');
  await using stage = await openStage();
  await using redis = await startRedis();
  await using parts = new AsyncDisposableStack();
  const open = async (variables: Readonly<Record<string, string>>): Promise<Side> =>
    parts.use(await Side.start(stage, variables));
  const [memory, shared] = [await open({}), await open({ REDIS_URL: redis.url })];
  const measured: [Measurement, Measurement][] = [];
  {
    using progress = new Progress(rounds);
    for (let round = 0; round < rounds; round += 1) {
      progress.step(`${PER_SECOND} commands a second, round ${round + 1}`);
      // Whoever comes second may find the machine in another state.
      const order = round % 2 === 0 ? [memory, shared] : [shared, memory];
      for (const side of order) await side.measure(forMs);
      const [one, other] = [memory.last, shared.last];
      measured.push([one, other]);
      progress.done(
        `round ${round + 1}: p50 ${one.p50Ms.toFixed(2)} ms, with Redis ${other.p50Ms.toFixed(2)} ms`,
      );
    }
  }
  for (const side of [memory, shared]) await side.finish();
  const addedMs = median(measured.map(([one, other]) => other.p50Ms - one.p50Ms));
  const table = tableOf(measured);
  const verdict = `Redis adds ${addedMs.toFixed(2)} ms at p50 (bound: ${BOUND_MS} ms).`;
  console.log(`\n${markdownTable(table)}\n\n${verdict}`);
  if (isWritten) {
    const made = `${PER_SECOND} commands a second, ${rounds} rounds in turn, platform 20 ms. `;
    writePart('redis', [
      `${made}${machineLine(describeMachine(stage.brokerVersion))}.`,
      markdownTable(table),
      verdict,
    ]);
  }
  return addedMs < BOUND_MS;
}

function tableOf(measured: readonly [Measurement, Measurement][]): Table {
  const row = (label: string, of: readonly Measurement[]): string[] => [
    label,
    range(of.map(({ p50Ms }) => p50Ms)),
    range(of.map(({ p99Ms }) => p99Ms)),
    range(of.map(({ cpuMsPerCommand }) => cpuMsPerCommand)),
  ];
  return [
    ['repeats are known by', 'p50, ms', 'p99, ms', 'CPU a command, ms'],
    row(
      'the worker alone',
      measured.map(([memory]) => memory),
    ),
    row(
      'Redis',
      measured.map(([, shared]) => shared),
    ),
  ];
}

function range(values: readonly number[]): string {
  const { median: middle, min, max } = spreadOf(values);
  return `${middle.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`;
}

/** One of the two workers, and what was measured last of it. */
class Side implements AsyncDisposable {
  last: Measurement = { p50Ms: 0, p99Ms: 0, cpuMsPerCommand: 0 };
  readonly #workers: OurWorkers;
  readonly #driver: LoadDriver;

  private constructor(workers: OurWorkers, driver: LoadDriver) {
    this.#workers = workers;
    this.#driver = driver;
  }

  static async start(stage: Stage, variables: Readonly<Record<string, string>>): Promise<Side> {
    const workers = await OurWorkers.start(stage, { variables });
    const driver = await LoadDriver.open({ url: stage.amqpUrl, dialect: workers.dialect });
    await driver.closedLoop(WARM_UP);
    return new Side(workers, driver);
  }

  async measure(forMs: number): Promise<void> {
    const { cpuMs } = this.#workers;
    const { commands, latenciesMs } = await this.#driver.openLoop({ perSecond: PER_SECOND, forMs });
    this.last = {
      p50Ms: percentile(latenciesMs, 0.5),
      p99Ms: percentile(latenciesMs, 0.99),
      cpuMsPerCommand: (this.#workers.cpuMs - cpuMs) / commands,
    };
  }

  async finish(): Promise<void> {
    const tally = await this.#driver.settle();
    if (!isFaultless(tally)) throw new Error(`not each command was answered once: ${JSON.stringify(tally)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#driver[Symbol.asyncDispose]();
    await this.#workers[Symbol.asyncDispose]();
  }
}
