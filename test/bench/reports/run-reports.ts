import { markdownTable } from 'markdown-table';

import { startBroker } from '../../../scripts/broker/start-broker.ts';
import { OurWorker } from '../contestants/ours.ts';
import { percentile, spreadOf, withRange } from '../measure/measure.ts';
import { createWorkplace, startPlatform } from '../stage/stage.ts';
import {
  aboveIdleMib,
  LEAST_SHARE,
  measureMemory,
  measureRates,
  MOST_ABOVE_IDLE_MIB,
  PER_PAGE,
  PLATFORM_MS,
  PREFETCH,
  type Rate,
  rateShare,
} from './compare-rates.ts';
import { ReportReader } from './report-reader.ts';

export interface RunReportsOptions {
  readonly rounds: number;
  /** Of the report that is read again and again. */
  readonly rateRecords: number;
  /** Of the report during which the memory is looked at. */
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
  const isFast = rounds === 0 || (await showRates(broker.url, rounds, rateRecords));
  return (await showMemory(broker.url, records)) && isFast;
}

async function showRates(amqpUrl: string, rounds: number, records: number): Promise<boolean> {
  const rates = await measureRates(amqpUrl, rounds, records);
  const share = rateShare(rates).median;
  const rowOf = ({ label, pagesPerSecond, cpuMsPerPage }: Rate): string[] => [
    label,
    withRange(spreadOf(pagesPerSecond), 1),
    withRange(spreadOf(cpuMsPerPage), 2),
  ];
  console.log(`Pages of ${PER_PAGE} records, ${rounds} rounds by turns; platform ${PLATFORM_MS} ms.\n`);
  console.log(
    markdownTable([['worker', 'pages a second', 'CPU a page, ms'], rowOf(rates.bare), rowOf(rates.ours)]),
  );
  console.log(
    `\n${(100 * share).toFixed(0)} % of the bare loop's rate (bound: ${100 * LEAST_SHARE} %); ${rates.faults} pages wrong.\n`,
  );
  return share >= LEAST_SHARE && rates.faults === 0;
}

async function showMemory(amqpUrl: string, records: number): Promise<boolean> {
  using workplace = await createWorkplace();
  await using platform = await startPlatform(workplace, PLATFORM_MS, 'reports', records);
  const surroundings = { workplace, amqpUrl, platform: platform.variables, prefetch: PREFETCH };
  await using worker = await OurWorker.start(surroundings);
  await using reader = await ReportReader.open(amqpUrl);
  const memory = await measureMemory(worker, reader, amqpUrl, PER_PAGE);
  const { idleMib, report, alone, beside } = memory;
  const { pages, elapsedMs, faults, end } = report;
  const p99 = (latenciesMs: readonly number[]): string => percentile(latenciesMs, 0.99).toFixed(0);
  console.log(
    `${pages} pages in ${(elapsedMs / 1_000).toFixed(0)} s; ${faults} wrong; ${JSON.stringify(end)}\n` +
      `idle ${idleMib.toFixed(0)} MiB, at most ${aboveIdleMib(memory).toFixed(0)} MiB above (bound: ${MOST_ABOVE_IDLE_MIB} MiB)\n` +
      `players' p99: ${p99(alone.latenciesMs)} ms before, ${p99(beside.latenciesMs)} ms meanwhile; ` +
      `failed: ${JSON.stringify(beside.failures)}`,
  );
  const isWhole = end['records'] === records && faults === 0;
  return isWhole && Object.keys(beside.failures).length === 0 && aboveIdleMib(memory) <= MOST_ABOVE_IDLE_MIB;
}
