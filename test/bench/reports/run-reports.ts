import { markdownTable } from 'markdown-table';

import { startBroker } from '../../../scripts/broker/start-broker.ts';
import { median, percentile, withRange } from '../measure.ts';
import { PLATFORM_MS } from '../stage.ts';
import { LEAST_SHARE, measureRates, PER_PAGE, type Rate, rateShares } from './compare-rates.ts';
import { measureMemory, MOST_ABOVE_IDLE_MIB } from './memory.ts';

export interface RunReportsOptions {
  readonly rounds: number;
  /** The size of the report that is read again and again. */
  readonly rateRecords: number;
  /** The size of the report during which memory is watched. */
  readonly records: number;
}

/**
 * Reads a report by turns with a worker and with a bare loop, then a large one while players are served, and prints
 * what that takes.
 *
 * @returns whether the worker is fast and small enough, and each page came once, in turn and with its records
 */
export async function runReports({ rounds, rateRecords, records }: RunReportsOptions): Promise<boolean> {
  await using broker = await startBroker();
  const isFast = await showRates(broker.url, rounds, rateRecords);
  return (await showMemory(broker.url, records)) && isFast;
}

async function showRates(amqpUrl: string, rounds: number, records: number): Promise<boolean> {
  const rates = await measureRates(amqpUrl, rounds, records);
  const share = median(rateShares(rates));
  const rowOf = ({ label, pagesPerSecond, cpuMsPerPage }: Rate): string[] => [
    label,
    withRange(pagesPerSecond, 1),
    withRange(cpuMsPerPage, 2),
  ];
  const head = ['worker', 'pages a second', 'CPU a page, ms'];
  console.log(
    `Pages of ${PER_PAGE} records, ${rounds} rounds by turns; platform ${PLATFORM_MS} ms.\n\n` +
      `${markdownTable([head, rowOf(rates.bare), rowOf(rates.ours)])}\n\n` +
      `${(100 * share).toFixed(0)} % of the bare loop's rate (bound: ${100 * LEAST_SHARE} %); ${rates.faults} pages wrong.\n`,
  );
  return share >= LEAST_SHARE && rates.faults === 0;
}

async function showMemory(amqpUrl: string, records: number): Promise<boolean> {
  const { idleMib, aboveIdleMib, report, alone, beside } = await measureMemory(amqpUrl, records, PLATFORM_MS);
  const { pages, elapsedMs, faults, end } = report;
  const p99 = (latenciesMs: readonly number[]): string => percentile(latenciesMs, 0.99).toFixed(0);
  console.log(
    `${pages} pages in ${(elapsedMs / 1_000).toFixed(0)} s; ${faults} wrong; ${JSON.stringify(end)}\n` +
      `idle ${idleMib.toFixed(0)} MiB, at most ${aboveIdleMib.toFixed(0)} MiB above (bound: ${MOST_ABOVE_IDLE_MIB} MiB)\n` +
      `players' p99: ${p99(alone.latenciesMs)} ms before, ${p99(beside.latenciesMs)} ms meanwhile; ` +
      `failed: ${JSON.stringify(beside.failures)}`,
  );
  const isWhole = end['records'] === records && faults === 0;
  return isWhole && Object.keys(beside.failures).length === 0 && aboveIdleMib <= MOST_ABOVE_IDLE_MIB;
}
