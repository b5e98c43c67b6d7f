import { text } from 'node:stream/consumers';

import { markdownTable } from 'markdown-table';
import { request } from 'undici';

import { countsOf, percentile } from '../measure.ts';
import { startPlatform } from '../stage.ts';
import { measureMemory } from './memory.ts';

/** The maximum number of records per page on the real platform. */
const PER_PAGE = 50;
/** The maximum time of a report, relative to the same number of sequential calls to the platform alone. */
const MOST_TIME = 2;
/** The maximum p99 of players during the report, relative to their p99 alone. */
const MOST_P99 = 2;

/**
 * Reads a report from pages of 50 records while players are served, and prints its time relative to as many
 * sequential calls on the platform alone.
 *
 * @param amqpUrl of the broker
 * @returns true if the report and all replies are right, and the bounds hold
 */
export async function runSmallPages(amqpUrl: string, records = 300_000, latencyMs = 5): Promise<boolean> {
  const sequentialMs = await sequentialCalls(records, latencyMs);
  const { report, alone, beside } = await measureMemory(amqpUrl, { records, perPage: PER_PAGE, latencyMs });
  const p99 = [alone, beside].map(({ latenciesMs }) => percentile(latenciesMs, 0.99)) as [number, number];
  const time = report.elapsedMs / sequentialMs;
  const isComplete = report.faults === 0 && report.end['records'] === records;
  const isHeld = time <= MOST_TIME && p99[1] <= MOST_P99 * p99[0];
  const head = ['what', 'measured', 'relative', 'bound'];
  console.log(
    markdownTable([
      head,
      [`${report.pages} sequential calls at ${latencyMs} ms`, seconds(sequentialMs), '', ''],
      [`report of ${records} records`, seconds(report.elapsedMs), time.toFixed(2), `at most ${MOST_TIME}`],
      ['p99 of players alone', `${p99[0].toFixed(0)} ms`, '', ''],
      [
        'p99 beside the report',
        `${p99[1].toFixed(0)} ms`,
        (p99[1] / p99[0]).toFixed(2),
        `at most ${MOST_P99}`,
      ],
    ]),
  );
  console.log(`\nWrong pages: ${report.faults}. Failed players: ${countsOf(beside.failures) || 'none'}.`);
  return isComplete && beside.failures.length === 0 && isHeld;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** Requests all pages one after the other. Returns the time in milliseconds. */
async function sequentialCalls(records: number, latencyMs: number): Promise<number> {
  await using platform = await startPlatform(latencyMs, records);
  const startedAtMs = performance.now();
  for (let page = 1; page <= Math.ceil(records / PER_PAGE); page += 1) {
    const { body } = await request(
      `${platform.variables.PLATFORM_BASE_URL}/report?page=${page}&per-page=${PER_PAGE}`,
    );
    await text(body);
  }
  return performance.now() - startedAtMs;
}
