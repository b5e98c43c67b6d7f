import { seededRandom } from '../../apps/sandbox/src/random.ts';
import type { Broker } from '../../scripts/broker/start-broker.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { processUsage } from '../bench/measure.ts';
import { type Caller, type CallerOptions, type Load, openCaller } from './caller.ts';
import { startNaive, startWorkers } from './consumers.ts';
import { backAfterMs, type Figures, figuresOf, isCalm, limitMs } from './figures.ts';
import { type Service, startPlatform } from './platform/platform.ts';
import { capacityOf, connectionsOf, type Heavy, type Row, usableOf } from './rows.ts';

export interface Case {
  readonly row: Row;
  /** The load of the first caller, in multiples of the capacity. */
  readonly times: number;
  readonly workers: number;
  readonly seconds: number;
  readonly deadlineMs: number;
  readonly seed: number;
}

/** The results of a load during one mode of service of the platform. */
export interface Result {
  readonly played: Case;
  readonly service: Service;
  readonly connections: number;
  readonly capacity: number;
  /** The results of the first caller. */
  readonly figures: Figures;
  /** The results of the caller that sends more than its share. */
  readonly heavy: Figures | undefined;
  /** Calls to the platform of both callers. */
  readonly calls: number;
  readonly aloneP50Ms: number;
  /** After the last service of the row. */
  readonly backMs: number | undefined;
  readonly peakMemoryMib: number;
  /**
   * The maximum delay of the driver in sending a command. A large value shows that the machine was too busy.
   */
  readonly latestMs: number;
}

const ALONE_TIMES = 0.5;
const ALONE_MS = 5_000;
const AFTER_TIMES = 0.7;
const LEAST_AFTER_SECONDS = 8;
const MOST_AFTER_SECONDS = 60;
const PROGRESS_MS = 15_000;

/**
 * Plays one load on separate workers: first a moderate load, then the load of the case, then a moderate one
 * again.
 */
export async function playCase(
  broker: Pick<Broker, 'url' | 'ctl'>,
  played: Case,
  onProgress: (line: string) => void = () => undefined,
): Promise<readonly Result[]> {
  const { row, times, workers, seconds, deadlineMs, seed } = played;
  const connections = connectionsOf(row, times, workers);
  const capacityIn = (service: Service): number => capacityOf(service, connections, workers);
  const [service = {}] = row.services;
  const capacity = capacityIn(service);
  await using parts = new AsyncDisposableStack();
  const platform = parts.use(await startPlatform());
  const folder = parts.use(temporaryFolder());
  const operators = { heavy: { clientId: 'heavy', secretKey: 'heavy-secret-key' } };
  const variables = {
    ...platform.variables,
    PLATFORM_CONNECTIONS: `${connections}`,
    OPERATORS_FILE: folder.write('operators.json', JSON.stringify(operators)),
  };
  const start = row.consumer === 'naive' ? startNaive : startWorkers;
  const { inbox, pids } = parts.use(await start(broker.url, workers, variables, usableOf(connections)));
  const common = { url: broker.url, inbox, deadlineMs, random: seededRandom(seed) };
  const first = parts.use(await openCaller({ ...common, name: 'first' }));
  const heavy = row.heavy && parts.use(await openHeavy(broker, row.heavy, common));
  parts.use(watch(first, onProgress));

  await platform.serve(service);
  const alone = loadFrom('alone', ALONE_MS + 2 * (service.timeMs ?? 0));
  await first.play(alone, Math.min(times, ALONE_TIMES) * capacity);
  await first.settle();
  const aloneP50Ms = figuresOf(first.answersIn('alone'), alone).p50Ms;
  const loads: Load[] = [];
  for (const each of row.services) {
    await platform.serve(each);
    const load = loadFrom(`load${loads.length}`, (each.seconds ?? seconds) * 1_000);
    loads.push(load);
    await Promise.all([
      first.play(load, times * capacity),
      heavy?.play(load, ((row.heavy?.times ?? 0) / 2) * capacity),
    ]);
  }
  const after = await playUntilCalm(first, Math.min(times, AFTER_TIMES) * capacity, limitMs(aloneP50Ms));
  await Promise.all([first.settle(), heavy?.settle()]);

  const calls = await platform.calls();
  const backMs = backAfterMs(first.answersIn('after'), after, limitMs(aloneP50Ms));
  return loads.map((load, index) => ({
    played,
    service: row.services[index] ?? service,
    connections,
    capacity: capacityIn(row.services[index] ?? service),
    figures: figuresOf(first.answersIn(load.phase), load),
    heavy: heavy && figuresOf(heavy.answersIn(load.phase), load),
    calls: (calls[`${load.phase}.first`] ?? 0) + (calls[`${load.phase}.heavy`] ?? 0),
    aloneP50Ms,
    backMs: index === loads.length - 1 ? backMs : undefined,
    peakMemoryMib: Math.max(...pids.map((pid) => processUsage(pid).peakMemoryMib)),
    latestMs: first.latestMs(),
  }));
}

function loadFrom(phase: string, forMs: number): Load {
  return { phase, startMs: performance.now(), forMs };
}

/** Opens the caller that sends more than its share, as another broker user if the row requires one. */
async function openHeavy(
  broker: Pick<Broker, 'url' | 'ctl'>,
  { isAnotherUser = false, ...heavy }: Heavy,
  common: Omit<CallerOptions, 'name'>,
): Promise<Caller> {
  const url = new URL(broker.url);
  if (isAnotherUser) {
    [url.username, url.password] = ['heavy', 'heavy'];
    // An earlier case may have added it.
    await broker.ctl('add_user', 'heavy', 'heavy').catch(() => undefined);
    await broker.ctl('set_permissions', 'heavy', '.*', '.*', '.*');
  }
  return await openCaller({ ...common, ...heavy, url: url.href, name: 'heavy' });
}

/** Reports the results of a caller periodically. */
function watch(caller: Caller, onProgress: (line: string) => void): Disposable {
  let before = 0;
  const timer = setInterval(() => {
    const { succeeded, waiting } = caller.progress();
    const goodput = ((succeeded - before) * 1_000) / PROGRESS_MS;
    onProgress(`${goodput.toFixed(1)} successes a second, ${waiting} commands wait`);
    before = succeeded;
  }, PROGRESS_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Sends less than the capacity until the answers are as before the load, or for at most a minute. */
async function playUntilCalm(caller: Caller, perSecond: number, mostMs: number): Promise<Load> {
  const { phase, startMs } = loadFrom('after', 0);
  for (let seconds = 1; ; seconds += 1) {
    await caller.play(loadFrom(phase, 1_000), perSecond);
    const isOver = seconds >= LEAST_AFTER_SECONDS && isCalm(caller.answersIn(phase), mostMs);
    if (isOver || seconds === MOST_AFTER_SECONDS)
      return { phase, startMs, forMs: performance.now() - startMs };
  }
}
