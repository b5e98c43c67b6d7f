import { countsOf, median, percentile } from '../bench/measure.ts';
import type { Answer, Load } from './caller.ts';

/** The results of one caller during one load. */
export interface Figures {
  /** Commands a second. Excludes the first quarter of the load, like the goodput. */
  readonly offered: number;
  /** Successes in time a second. */
  readonly goodput: number;
  /** The goodput in the last quarter of the load. */
  readonly finalGoodput: number;
  readonly succeeded: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The commands that were answered `OVERLOADED`. */
  readonly refused: number;
  readonly refusedP99Ms: number;
  /** The median of `retryAfterMs`; undefined if a refusal has none. */
  readonly retryAfterMs: number | undefined;
  /** All other outcomes, such as `COMMAND_EXPIRED 12`. */
  readonly others: string;
}

/**
 * The first quarter of a load is excluded because the queue is still growing, or an earlier load still has an
 * effect.
 */
const QUARTER = 0.25;

export function figuresOf(answers: readonly Answer[], { startMs, forMs }: Load): Figures {
  const steadyMs = startMs + QUARTER * forMs;
  const endMs = startMs + forMs;
  const isSteady = (atMs: number): boolean => atMs >= steadyMs && atMs < endMs;
  const perSecond = (count: number): number => (count * 1_000) / (endMs - steadyMs);
  const successes = answers.filter(({ outcome }) => outcome === 'success');
  const refusals = answers.filter(({ outcome }) => outcome === 'OVERLOADED');
  const others = answers.filter(({ outcome }) => outcome !== 'success' && outcome !== 'OVERLOADED');
  const steady = successes.filter(({ dueMs, latencyMs }) => isSteady(dueMs + latencyMs));
  const final = steady.filter(({ dueMs, latencyMs }) => dueMs + latencyMs >= endMs - QUARTER * forMs);
  const latenciesMs = steady.map(({ latencyMs }) => latencyMs);
  const retryAfterMs = refusals.flatMap((answer) => answer.retryAfterMs ?? []);
  return {
    offered: perSecond(answers.filter(({ dueMs }) => isSteady(dueMs)).length),
    goodput: perSecond(steady.length),
    finalGoodput: (final.length * 1_000) / (QUARTER * forMs),
    succeeded: successes.length,
    p50Ms: median(latenciesMs),
    p99Ms: percentile(latenciesMs, 0.99),
    refused: refusals.length,
    refusedP99Ms: percentile(
      refusals.map(({ latencyMs }) => latencyMs),
      0.99,
    ),
    retryAfterMs: retryAfterMs.length === refusals.length ? median(retryAfterMs) : undefined,
    others: countsOf(others.map(({ outcome }) => outcome)),
  };
}

/** The median of a success may be twice what it is alone, and a second longer. Source: issue "Overload". */
export function limitMs(aloneP50Ms: number): number {
  return 2 * aloneP50Ms + 1_000;
}

const NORMAL_SHARE = 0.9;
const CALM_MS = 3_000;

/** True if the latest answers are successes within the limit. */
export function isCalm(answers: readonly Answer[], mostMs: number): boolean {
  const sinceMs = performance.now() - CALM_MS;
  const latest = answers.filter(({ dueMs, latencyMs }) => dueMs + latencyMs > sinceMs);
  const calm = latest.filter(({ outcome, latencyMs }) => outcome === 'success' && latencyMs <= mostMs);
  return latest.length > 0 && calm.length >= NORMAL_SHARE * latest.length;
}

const BIN_MS = 1_000;

/**
 * Returns the milliseconds from the fall of the load until every later second is normal: nine of ten commands
 * succeed, and half of them within the limit. `Infinity` if the last second is not normal.
 */
export function backAfterMs(answers: readonly Answer[], { startMs, forMs }: Load, mostMs: number): number {
  const bins = Map.groupBy(answers, ({ dueMs }) => Math.floor((dueMs - startMs) / BIN_MS));
  const isNormal = (bin: number): boolean => {
    const latenciesMs = (bins.get(bin) ?? []).map(({ outcome, latencyMs }) =>
      outcome === 'success' ? latencyMs : Infinity,
    );
    return percentile(latenciesMs, NORMAL_SHARE) < Infinity && percentile(latenciesMs, 0.5) <= mostMs;
  };
  const last = Math.ceil(forMs / BIN_MS) - 1;
  if (!isNormal(last)) return Infinity;
  let first = last;
  while (first > 0 && isNormal(first - 1)) first -= 1;
  return first * BIN_MS;
}
