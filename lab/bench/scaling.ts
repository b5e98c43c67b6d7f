import { startOurWorker } from './contestants.ts';
import { openLoadDriver } from './driver/load-driver.ts';
import { PREFETCH } from './reports/compare-rates.ts';
import { startPlatform } from './stage.ts';

const PLATFORM_MS = 1_500;
/** A new worker raises its concurrent calls gradually, because a platform may slow down under load. */
const WARM_UP_MS = 9_000;
const MEASURED_MS = 12_000;
/** In-flight commands of each worker. Its connections to the platform would allow 240 of one type. */
const IN_FLIGHT = 200;
const WORKERS = [1, 2, 4] as const;

/** Commands a second by the number of workers, one value for each round. */
export type Scaling = ReadonlyMap<number, number[]>;

/** Measures the throughput of several workers with default settings on a slow platform. */
export async function measureScaling(amqpUrl: string, rounds: number): Promise<Scaling> {
  const scaling = new Map(WORKERS.map((workers) => [workers as number, [] as number[]]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const [workers, found] of scaling) {
      found.push(await throughputOf(workers, amqpUrl));
      console.log(`round ${round}  ${workers} workers: ${found.at(-1)?.toFixed(0)} commands a second`);
    }
  }
  return scaling;
}

async function throughputOf(workers: number, amqpUrl: string): Promise<number> {
  await using parts = new AsyncDisposableStack();
  const platform = parts.use(await startPlatform(PLATFORM_MS));
  const surroundings = { amqpUrl, platform: platform.variables, prefetch: PREFETCH };
  const { inbox, prefix } = parts.use(await startOurWorker(surroundings));
  for (let more = 1; more < workers; more += 1) parts.use(await startOurWorker(surroundings, { prefix }));
  const driver = parts.use(await openLoadDriver({ url: amqpUrl, inbox }));
  const loop = { inFlight: workers * IN_FLIGHT, commands: Infinity };
  await driver.closedLoop({ ...loop, forMs: WARM_UP_MS });
  const { commands, elapsedMs } = await driver.closedLoop({ ...loop, forMs: MEASURED_MS });
  const { right, sent } = await driver.settle();
  if (right !== sent) throw new Error(`${sent - right} of ${sent} commands were not answered correctly`);
  return (commands * 1_000) / elapsedMs;
}
