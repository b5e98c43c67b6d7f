import { ERROR_CODES, type ErrorCategory, type ErrorCode } from '#contracts';
import type { MessagingHealth, RedisState } from '#messaging';
import type { CircuitReport } from '#platform';

import { isServed } from '../health/bus.health.ts';

/** Whether somebody has to get up, in one word. */
export type Level = 'well' | 'attention' | 'down';

export interface Verdict {
  readonly level: Level;
  /** Sentences, the gravest first; none if all is well. */
  readonly reasons: readonly string[];
}

export interface Findings {
  readonly bus: Pick<MessagingHealth, 'isConnected' | 'lastError' | 'lanes'>;
  readonly circuits: readonly CircuitReport[];
  /** Undefined without `REDIS_URL`. */
  readonly redis: RedisState | undefined;
  /** Final replies of the last minute, by outcome. */
  readonly outcomes: ReadonlyMap<string, number>;
}

/** From this share of a minute's replies on. What callers or players do wrong is no reason, however often. */
const NOTED_SHARE: Readonly<Partial<Record<ErrorCategory, number>>> = {
  misconfigured: 0,
  internal: 0,
  uncertain: 0.01,
  unavailable: 0.01,
  expired: 0.01,
};
/** The rest are in the tables. */
const MOST_CIRCUITS = 3;

/** One look at a worker: is all well, and if not, why. */
export function verdictOf({ bus, circuits, redis, outcomes }: Findings): Verdict {
  const grave = [...brokerReasons(bus)];
  const others = [
    ...laneReasons(bus),
    ...circuitReasons(circuits),
    ...failureReasons(outcomes),
    ...redisReasons(redis),
  ];
  const level = grave.length > 0 ? 'down' : others.length > 0 ? 'attention' : 'well';
  return { level, reasons: [...grave, ...others] };
}

function* brokerReasons({ isConnected, lastError, lanes }: Findings['bus']): Generator<string> {
  const cause = lastError === undefined ? '' : ` (${lastError})`;
  if (!isConnected) {
    yield `No connection to the broker${cause}. Commands wait in their queues; the worker reconnects by itself.`;
    return;
  }
  for (const { lane, state } of lanes) {
    if (!isServed(state)) yield `The lane ${lane} is not consumed: ${state}.`;
  }
}

function* laneReasons({ isConnected, lastError, lanes }: Findings['bus']): Generator<string> {
  if (isConnected && lastError !== undefined)
    yield `The broker takes no replies (${lastError}). Commands wait; nothing is lost.`;
  for (const { lane, state } of lanes) {
    if (state === 'paused')
      yield `The lane ${lane} is paused: the platform fails, or commands of a lost connection end first. It resumes by itself.`;
  }
}

function* circuitReasons(circuits: Findings['circuits']): Generator<string> {
  const open = circuits.filter(({ state }) => state !== 'closed');
  const named = open.slice(0, MOST_CIRCUITS).map(({ operator, operation }) => `${operation} of ${operator}`);
  const more = open.length > named.length ? ` and ${open.length - named.length} more` : '';
  if (open.length > 0)
    yield `The platform fails: the circuit is open for ${named.join(', ')}${more}. Probes close it by themselves.`;
}

function* failureReasons(outcomes: Findings['outcomes']): Generator<string> {
  const all = [...outcomes.values()].reduce((sum, count) => sum + count, 0);
  const noted = [...outcomes]
    .filter(([outcome]) => outcome in ERROR_CODES)
    .map(([code, count]) => [ERROR_CODES[code as ErrorCode].category, code, count] as const)
    .filter(([category, , count]) => count / all >= (NOTED_SHARE[category] ?? Infinity))
    .toSorted(([, , a], [, , b]) => b - a);
  const failed = noted.reduce((sum, [, , count]) => sum + count, 0);
  const codes = noted.map(([, code, count]) => `${count} ${code}`).join(', ');
  if (failed > 0)
    yield `In the last minute ${failed} of ${all} commands failed by no fault of their callers: ${codes}.`;
}

function* redisReasons(redis: Findings['redis']): Generator<string> {
  if (redis?.kind === 'away')
    yield `Redis is away (${redis.reason}). Each worker recognises only its own repeats.`;
}
