import { markdownTable } from 'markdown-table';

import { percentile } from '../../bench/measure.ts';

/** One command that a worker answered, from its log. */
export interface Answered {
  readonly lane: string;
  readonly atMs: number;
}

/** Answers that came just before still count as the beginning of a silence. */
const BEFORE_MS = 1_000;

/**
 * The longest time without an answer on a lane, between a little before `fromMs` and `toMs`.
 *
 * @returns milliseconds; all of it, if there was none
 */
export function longestSilenceMs(answers: readonly Answered[], fromMs: number, toMs: number): number {
  const times = answers.map(({ atMs }) => atMs).filter((atMs) => atMs > fromMs - BEFORE_MS && atMs < toMs);
  const edges = [Math.min(fromMs, ...times), ...times.toSorted((a, b) => a - b), toMs];
  return Math.max(...edges.slice(1).map((atMs, index) => atMs - (edges[index] ?? atMs)));
}

/** A table of silences by what was done, a row for each lane. */
export function describeSilences(silences: readonly { what: string; lane: string; ms: number }[]): string {
  const groups = Map.groupBy(silences, ({ what, lane }) => `${what}|${lane}`);
  const rows = [...groups].map(([head, all]) => {
    const times = all.map(({ ms }) => ms);
    const figures = [0.5, 0.95, 1].map((share) => `${(percentile(times, share) / 1_000).toFixed(1)} s`);
    return [...head.split('|'), String(times.length), ...figures];
  });
  return markdownTable([['what was done', 'lane', 'times', 'p50', 'p95', 'max'], ...rows]);
}
