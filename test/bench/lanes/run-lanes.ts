import { markdownTable } from 'markdown-table';

import { type Comparison, compareLanes } from './compare-lanes.ts';
import { Lanes, type Phase } from './lanes.ts';
import { REPORT_ENDPOINTS, type ReportEndpoint } from './report-endpoints.ts';

const RATE_PER_SECOND = 200;
const PHASE_MS = 5_000;
const REPORTS = 300;
const ROUNDS = 5;
/** How far the p99 may move. */
const MOST_RATIO = 1.1;

export interface RunLanesOptions {
  /** Of the broker. Everything else that is needed is built and started. */
  readonly url: string;
  /** Default 5. */
  readonly rounds?: number;
}

/**
 * Measures what players see while the platform's report endpoint is sick, in turn with phases without reports, and
 * prints a table. A round takes a minute, and one more comes first that does not count.
 *
 * @returns whether no kind of sickness moved the p99 beyond a tenth, or failed a player
 */
export async function runLanes({ url, rounds = ROUNDS }: RunLanesOptions): Promise<boolean> {
  await using lanes = await Lanes.start({
    url,
    ratePerSecond: RATE_PER_SECOND,
    phaseMs: PHASE_MS,
    reports: REPORTS,
  });
  const endpoints = Object.keys(REPORT_ENDPOINTS) as ReportEndpoint[];
  const pairs = new Map<ReportEndpoint, (readonly [Phase, Phase])[]>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const endpoint of endpoints) {
      const pair = await lanes.pair(endpoint);
      // What fails for the first time has not been compiled yet.
      if (round > 0) pairs.set(endpoint, [...(pairs.get(endpoint) ?? []), pair]);
    }
  }
  console.log(
    `Players' latency at ${RATE_PER_SECOND} commands/s, medians of ${rounds} phases of ${PHASE_MS / 1_000} s each,` +
      ` in turn with phases without reports. ${REPORTS} reports queued in each, ${lanes.connections} connections.`,
  );
  const compared = endpoints.map((endpoint) => compareLanes(endpoint, pairs.get(endpoint) ?? []));
  const head = [
    'reports',
    'p50 ms',
    'without',
    'p99 ms',
    'without',
    'ratio',
    'least',
    'failed',
    'calls',
    'at once',
  ];
  console.log(
    markdownTable([head, ...compared.map(rowOf)], { align: ['l', ...head.slice(1).map(() => 'r')] }),
  );
  return compared.every(({ p99Ratio, failures }) => p99Ratio <= MOST_RATIO && failures === 0);
}

function rowOf({ endpoint, quiet, disturbed, ...facts }: Comparison): string[] {
  return [
    endpoint,
    ...[disturbed.p50Ms, quiet.p50Ms, disturbed.p99Ms, quiet.p99Ms].map((ms) => ms.toFixed(1)),
    ...[facts.p99Ratio, facts.leastP99Ratio].map((ratio) => ratio.toFixed(2)),
    ...[facts.failures, facts.reportCalls, facts.mostReports].map(String),
  ];
}
