import { markdownTable } from 'markdown-table';

import { startRedis } from '../../../scripts/redis/start-redis.ts';
import { median, percentile, spreadOf, withRange } from '../measure/statistics.ts';
import { describeMachine, machineLine } from '../report/machine.ts';
import { Progress } from '../report/progress.ts';
import type { Table } from '../report/tables.ts';
import { writePart } from '../report/write-part.ts';
import { LoadedWorkers } from '../scale/loaded-workers.ts';
import { openStage } from '../stage/stage.ts';

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

/** By what tells repeats. */
type Round = Readonly<Record<'memory' | 'shared', Measurement>>;

const PER_SECOND = 300;
const WARM_UP = { inFlight: 100, commands: 3_000 };
/** What the check may add at p50. */
const BOUND_MS = 2;

/**
 * Measures what the memory of commands in Redis adds to the time of an answer: two workers, one with it and one
 * without, in turn.
 *
 * @returns whether it adds less than 2 ms at p50
 * @throws {Error} if not each command got exactly one right answer
 */
export async function benchRedis({ rounds, forMs, isWritten }: BenchRedisOptions): Promise<boolean> {
  console.log('A private RabbitMQ and a private Redis start …');
  await using stage = await openStage();
  await using redis = await startRedis();
  await using parts = new AsyncDisposableStack();
  const start = async (variables: Readonly<Record<string, string>>): Promise<LoadedWorkers> => {
    const side = parts.use(await LoadedWorkers.start(stage, { variables }));
    await side.driver.closedLoop(WARM_UP);
    return side;
  };
  const sides = { memory: await start({}), shared: await start({ REDIS_URL: redis.url }) };
  const measured: Round[] = [];
  {
    using progress = new Progress(rounds);
    for (let round = 0; round < rounds; round += 1) {
      progress.step(`${PER_SECOND} commands a second, round ${round + 1}`);
      // The second may find the machine in another state.
      const isReversed = round % 2 === 1;
      const first = await measure(isReversed ? sides.shared : sides.memory, forMs);
      const second = await measure(isReversed ? sides.memory : sides.shared, forMs);
      const [memory, shared] = isReversed ? [second, first] : [first, second];
      measured.push({ memory, shared });
      progress.done(
        `round ${round + 1}: p50 ${memory.p50Ms.toFixed(2)} ms, with Redis ${shared.p50Ms.toFixed(2)} ms`,
      );
    }
  }
  for (const side of Object.values(sides)) await side.finish();
  const addedMs = median(measured.map(({ memory, shared }) => shared.p50Ms - memory.p50Ms));
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

function tableOf(measured: readonly Round[]): Table {
  const row = (label: string, of: readonly Measurement[]): string[] => [
    label,
    withRange(spreadOf(of.map(({ p50Ms }) => p50Ms)), 2),
    withRange(spreadOf(of.map(({ p99Ms }) => p99Ms)), 2),
    withRange(spreadOf(of.map(({ cpuMsPerCommand }) => cpuMsPerCommand)), 2),
  ];
  return [
    ['repeats are known by', 'p50, ms', 'p99, ms', 'CPU a command, ms'],
    row(
      'the worker alone',
      measured.map(({ memory }) => memory),
    ),
    row(
      'Redis',
      measured.map(({ shared }) => shared),
    ),
  ];
}

async function measure({ workers, driver }: LoadedWorkers, forMs: number): Promise<Measurement> {
  const { cpuMs } = workers;
  const { commands, latenciesMs } = await driver.openLoop({ perSecond: PER_SECOND, forMs });
  return {
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    cpuMsPerCommand: (workers.cpuMs - cpuMs) / commands,
  };
}
