import { median, percentile } from '../measure/statistics.ts';
import type { Phase } from './lanes.ts';
import type { ReportEndpoint } from './report-endpoints.ts';

/** What players saw while one endpoint was sick, beside what they saw right before. */
export interface Comparison {
  readonly endpoint: ReportEndpoint;
  readonly rounds: number;
  readonly quiet: Latency;
  readonly disturbed: Latency;
  /** Of the median of the phases' p99, with sick reports over without. */
  readonly p99Ratio: number;
  /** The least of it in any one pair: on a busy machine others move the p99 of a phase more than reports do. */
  readonly leastP99Ratio: number;
  readonly failures: number;
  readonly mostReports: number;
  readonly reportCalls: number;
}

/** Medians over the phases. */
interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** @param pairs of one endpoint: a phase without reports, and the one after it */
export function compareLanes(
  endpoint: ReportEndpoint,
  pairs: readonly (readonly [Phase, Phase])[],
): Comparison {
  const quiet = latencyOf(pairs.map(([phase]) => phase));
  const sick = pairs.map(([, phase]) => phase);
  const disturbed = latencyOf(sick);
  return {
    endpoint,
    rounds: pairs.length,
    quiet,
    disturbed,
    p99Ratio: disturbed.p99Ms / quiet.p99Ms,
    leastP99Ratio: Math.min(
      ...pairs.map(([before, during]) => latencyOf([during]).p99Ms / latencyOf([before]).p99Ms),
    ),
    failures: pairs
      .flat()
      .flatMap(({ load }) => Object.values(load.failures))
      .reduce((sum, count) => sum + count, 0),
    mostReports: Math.max(...sick.map(({ mostReports }) => mostReports)),
    reportCalls: sick.reduce((sum, { reportCalls }) => sum + reportCalls, 0),
  };
}

function latencyOf(phases: readonly Phase[]): Latency {
  const medianOf = (share: number): number =>
    median(phases.map(({ load }) => percentile(load.latenciesMs, share)));
  return { p50Ms: medianOf(0.5), p99Ms: medianOf(0.99) };
}
