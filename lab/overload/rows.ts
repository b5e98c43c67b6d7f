import type { Service } from './platform/platform.ts';

/** A caller that sends more than its share, while the first caller sends half of the capacity. */
export interface Heavy {
  /** In multiples of its share, which is half of the capacity. */
  readonly times: number;
  readonly type?: 'game.open';
  readonly operator?: string;
  readonly isAnotherUser?: boolean;
  readonly deadlineMs?: number;
}

export interface Row {
  readonly name: string;
  /** The modes of service of the platform, in this order. */
  readonly services: readonly (Service & { readonly seconds?: number })[];
  /** The loads of a default run, in multiples of the capacity. */
  readonly times: readonly number[];
  readonly consumer?: 'naive';
  readonly heavy?: Heavy;
}

const TIMES = [1.1, 1.5, 3, 10];
const QUICK: Service = { timeMs: 200 };
const HALF = { times: [0.5], services: [QUICK] };

/** All rows that can be played. */
export const ROWS: readonly Row[] = [
  { name: 'fixed-0.2s', times: TIMES, services: [QUICK] },
  { name: 'fixed-1.5s', times: TIMES, services: [{ timeMs: 1_500 }] },
  { name: 'fixed-4s', times: TIMES, services: [{ timeMs: 4_000 }] },
  { name: 'line-20', times: TIMES, services: [{ perSecond: 20 }] },
  { name: 'line-100', times: TIMES, services: [{ perSecond: 100 }] },
  { name: 'slows-down', times: [1.5], services: [QUICK, { timeMs: 4_000, seconds: 60 }, QUICK] },
  { name: 'operator', ...HALF, heavy: { times: 10, operator: 'heavy' } },
  { name: 'operation', ...HALF, heavy: { times: 10, type: 'game.open' } },
  { name: 'caller', ...HALF, heavy: { times: 10, isAnotherUser: true } },
  {
    name: 'hang',
    times: [0.5],
    services: [{ ...QUICK, hangs: '/open-game' }],
    heavy: { times: 1, type: 'game.open', deadlineMs: 4_000 },
  },
  { name: 'naive', times: [0.5, 1, ...TIMES], services: [QUICK], consumer: 'naive' },
];

/** The default of `PLATFORM_CONNECTIONS`. */
const CONNECTIONS = 256;
/** One operation alone holds at most fifteen times as many connections as it leaves free. */
const USABLE = 15 / 16;
/** Calls and commands a second that two processors run, with broker, driver and platform. */
const MOST_CAPACITY = 260;
const MOST_OFFERED = 1_000;

/** The connections that one operation can use. */
export function usableOf(connections: number): number {
  return USABLE * connections;
}

/** Returns the capacity of a platform with the connections of a number of workers, in calls a second. */
export function capacityOf({ timeMs = 0, perSecond }: Service, connections: number, workers: number): number {
  return perSecond ?? (workers * usableOf(connections) * 1_000) / timeMs;
}

/**
 * The connections of each worker: the default, or fewer if the machine could not run the capacity or the
 * load.
 */
export function connectionsOf({ services, heavy }: Row, times: number, workers: number): number {
  const [first] = services;
  if (first === undefined || first.perSecond !== undefined) return CONNECTIONS;
  const offered = times + (heavy?.times ?? 0) / 2;
  let connections = CONNECTIONS;
  while (capacityOf(first, connections, workers) > Math.min(MOST_CAPACITY, MOST_OFFERED / offered))
    connections /= 2;
  return connections;
}
