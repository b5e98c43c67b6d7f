import { markdownTable } from 'markdown-table';

import { startBroker } from '../../../scripts/broker/start-broker.ts';
import { OurWorkers } from '../contestants/ours.ts';
import { percentile, spreadOf, withRange } from '../measure/statistics.ts';
import { startPlatform } from '../platform/start-platform.ts';
import { sparkline } from '../soak/sparkline.ts';
import { createWorkplace } from '../stage/workplace.ts';
import {
  LEAST_SHARE,
  measureRates,
  PER_PAGE,
  PLATFORM_MS,
  PREFETCH,
  type Rate,
  type Rates,
  rateShare,
} from './compare-rates.ts';
import { aboveIdleMib, measureMemory, MOST_ABOVE_IDLE_MIB, type ReportMemory } from './measure-memory.ts';
import { ReportReader } from './report-reader.ts';

const WIDTH = 60;

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
  const isFast = rounds === 0 || showRates(await measureRates(broker.url, rounds, rateRecords));
  return (await showMemory(broker.url, records)) && isFast;
}

function showRates(rates: Rates): boolean {
  for (const line of rateLines(rates)) console.log(line);
  return rateShare(rates).median >= LEAST_SHARE && rates.faults === 0;
}

async function showMemory(amqpUrl: string, records: number): Promise<boolean> {
  using workplace = await createWorkplace();
  await using platform = await startPlatform(workplace, PLATFORM_MS, 'reports', records);
  const surroundings = { workplace, amqpUrl, platform: platform.variables, prefetch: PREFETCH };
  await using worker = await OurWorkers.start(surroundings);
  await using reader = await ReportReader.open(amqpUrl);
  const memory = await measureMemory(worker, reader, amqpUrl, PER_PAGE);
  for (const line of memoryLines(memory)) console.log(line);
  const { report, beside } = memory;
  const isWhole = report.end['records'] === records && report.faults === 0;
  return isWhole && Object.keys(beside.failures).length === 0 && aboveIdleMib(memory) <= MOST_ABOVE_IDLE_MIB;
}

function rateLines(rates: Rates): string[] {
  const head = ['worker', 'pages a second', 'CPU a page, ms'];
  const rowOf = ({ label, pagesPerSecond, cpuMsPerPage }: Rate): string[] => [
    label,
    withRange(spreadOf(pagesPerSecond), 1),
    withRange(spreadOf(cpuMsPerPage), 2),
  ];
  return [
    `Pages of ${PER_PAGE} records, ${rates.ours.pagesPerSecond.length} rounds by turns; platform ${PLATFORM_MS} ms.`,
    '',
    markdownTable([head, rowOf(rates.bare), rowOf(rates.ours)], { align: ['l', 'r', 'r'] }),
    '',
    `poker-bridge reads at ${(100 * rateShare(rates).median).toFixed(0)} % of the bare loop's rate` +
      ` (bound: ${100 * LEAST_SHARE} %); ${rates.faults} pages wrong.`,
    '',
  ];
}

function memoryLines(memory: ReportMemory): string[] {
  const { idleMib, looks, report, alone, beside } = memory;
  const { pages, elapsedMs, faults, end } = report;
  const values = looks.map(({ memoryMib }) => memoryMib);
  const p99 = ({ latenciesMs }: ReportMemory['alone']): string => percentile(latenciesMs, 0.99).toFixed(0);
  return [
    `One report of ${String(end['records'])} records: ${pages} pages in ${(elapsedMs / 1_000).toFixed(0)} s,` +
      ` ${((pages * 1_000) / elapsedMs).toFixed(1)} a second; ${faults} wrong; ${JSON.stringify(end)}`,
    `resident memory, MiB   ${sparkline(values, WIDTH)}  ${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`,
    `idle ${idleMib.toFixed(0)} MiB, at most ${aboveIdleMib(memory).toFixed(0)} MiB above (bound: ${MOST_ABOVE_IDLE_MIB} MiB)`,
    `players' p99: ${p99(alone)} ms before, ${p99(beside)} ms meanwhile; failed: ${JSON.stringify(beside.failures)}`,
  ];
}
