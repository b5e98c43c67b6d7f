import { markdownTable } from 'markdown-table';

import { limitMs } from './figures.ts';
import type { Result } from './play-case.ts';

/**
 * The maximum successes a second of the first caller: its offered load, or the capacity of the platform if
 * that is lower.
 */
function possible({ capacity, figures }: Result): number {
  return Math.min(capacity, figures.offered);
}

export function goodputShare(result: Result): number {
  return result.figures.goodput / possible(result);
}

/** The share of the platform's calls whose answer did not become a success in time. */
export function wastedShare({ calls, figures, heavy }: Result): number {
  return calls === 0 ? 0 : 1 - (figures.succeeded + (heavy?.succeeded ?? 0)) / calls;
}

/** The figures of the caller whose surplus is refused. */
const ofSurplus = ({ figures, heavy }: Result): Result['figures'] => heavy ?? figures;

/** Source: issue "Overload", items 1 and 4. */
const LEAST_GOODPUT = 0.95;
const LEAST_BESIDE = 0.9;
const MOST_WASTED = 0.02;
const MOST_REFUSAL_MS = 1_000;
const MOST_BACK_MS = 5_000;

/** The bounds that a result exceeds, by the names of their columns. */
export function exceededBounds(result: Result): readonly string[] {
  const { figures, heavy, backMs = 0, service } = result;
  // A platform that has slowed down would take its own time for a call alone, too.
  const aloneP50Ms = Math.max(result.aloneP50Ms, service.timeMs ?? 0);
  const bounds = {
    goodput: goodputShare(result) < (heavy ? LEAST_BESIDE : LEAST_GOODPUT),
    wasted: wastedShare(result) > MOST_WASTED,
    p50: figures.p50Ms > limitMs(aloneP50Ms),
    refused: ofSurplus(result).refusedP99Ms > MOST_REFUSAL_MS,
    retryAfterMs: ofSurplus(result).retryAfterMs === undefined,
    back: backMs > MOST_BACK_MS,
  };
  return Object.entries(bounds).flatMap(([name, isExceeded]) => (isExceeded ? [name] : []));
}

const COLUMNS: Readonly<Record<string, (result: Result) => string | number>> = {
  row: ({ played: { row }, service }) =>
    [row.name, ...(row.services.length > 1 ? [seconds(service.timeMs ?? 0)] : []), row.consumer ?? '']
      .filter((part, index, parts) => part !== '' && parts.indexOf(part) === index)
      .join(', '),
  workers: ({ played }) => played.workers,
  connections: ({ connections }) => connections,
  times: ({ played: { row, times } }) => (row.heavy ? `${times} and ${row.heavy.times / 2}` : times),
  'offered/s': ({ figures, heavy }) => perSecond(figures.offered + (heavy?.offered ?? 0)),
  'capacity/s': ({ capacity }) => perSecond(capacity),
  'goodput/s': (result) => `${perSecond(result.figures.goodput)} (${percent(goodputShare(result))})`,
  'at the end': ({ figures }) => perSecond(figures.finalGoodput),
  wasted: (result) => percent(wastedShare(result)),
  'p50 alone': ({ aloneP50Ms }) => seconds(aloneP50Ms),
  p50: ({ figures }) => seconds(figures.p50Ms),
  p99: ({ figures }) => seconds(figures.p99Ms),
  refused: (result) => ofSurplus(result).refused,
  'refused p99': (result) => (ofSurplus(result).refused === 0 ? '' : seconds(ofSurplus(result).refusedP99Ms)),
  'retry after': (result) => {
    const { refused, retryAfterMs } = ofSurplus(result);
    if (refused === 0) return '';
    return retryAfterMs === undefined ? 'none' : seconds(retryAfterMs);
  },
  'other answers': ({ figures, heavy }) => [figures.others, heavy?.others].filter(Boolean).join('; '),
  'back after': ({ backMs }) => (backMs === undefined ? '' : backMs === Infinity ? 'never' : seconds(backMs)),
  'peak memory': ({ peakMemoryMib }) => `${peakMemoryMib.toFixed(0)} MiB`,
  exceeds: (result) => exceededBounds(result).join(', '),
};

/** The results as a Markdown table. */
export function overloadTable(results: readonly Result[]): string {
  const rows = results.map((result) => Object.values(COLUMNS).map((of) => String(of(result))));
  return markdownTable([Object.keys(COLUMNS), ...rows], {
    align: ['l', ...Object.keys(COLUMNS).map(() => 'r')],
  });
}

export function resultLine(result: Result): string {
  return Object.entries(COLUMNS)
    .map(([name, of]) => [name, String(of(result))] as const)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

function percent(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
}

function perSecond(rate: number): string {
  return rate.toFixed(rate < 100 ? 1 : 0);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 0)} s`;
}
