import { queueSpeech } from '../../support/speech.ts';
import { peer, type RunningWorker, startOurWorker } from '../contestants.ts';

import { median, processUsage } from '../measure.ts';
import { createWorkplace, PLATFORM_MS, startPlatform, type Surroundings } from '../stage.ts';
import { ReportReader } from './report-reader.ts';

const BARE = peer({
  name: 'bare-report',
  label: 'bare loop',
  program: 'bare-report',
  queueType: 'quorum',
  speech: queueSpeech,
});

/** How fast one of them read reports, one value a round. */
export interface Rate {
  readonly label: string;
  readonly pagesPerSecond: number[];
  readonly cpuMsPerPage: number[];
}

export interface Rates {
  readonly bare: Rate;
  readonly ours: Rate;
  /** Pages that were wrong, and reports that did not end as they should. */
  readonly faults: number;
}

/** How much of the bare loop's rate is wanted. */
export const LEAST_SHARE = 0.6;
/** The page size of every report of the bench. */
export const PER_PAGE = 500;
/** A worker's own default. */
export const PREFETCH = 2048;

/** Pages a second of a worker for one of the bare loop, round by round. */
export function rateShares({ ours, bare }: Rates): number[] {
  return ours.pagesPerSecond.map((pages, round) => pages / (bare.pagesPerSecond[round] ?? Number.NaN));
}

/** Reads a report by turns with a bare loop and with a worker, on a platform of its own. */
export async function measureRates(amqpUrl: string, rounds: number, records: number): Promise<Rates> {
  await using workplace = await createWorkplace();
  await using platform = await startPlatform(PLATFORM_MS, records);
  const surroundings = { workplace, amqpUrl, platform: platform.variables, prefetch: PREFETCH };
  const rates = await compareRates(surroundings, rounds, PER_PAGE);
  const rateOf = ({ label, pagesPerSecond }: Rate): string => `${label} ${median(pagesPerSecond).toFixed(1)}`;
  const { ours, bare, faults } = rates;
  console.log(`reports  pages a second: ${rateOf(ours)}, ${rateOf(bare)}; ${faults} pages wrong`);
  return rates;
}

/** Reads the same report by turns with a bare loop and with a worker, once each before it counts. */
export async function compareRates(
  surroundings: Surroundings,
  rounds: number,
  perPage: number,
): Promise<Rates> {
  await using bare = await BARE.start(surroundings);
  await using ours = await startOurWorker(surroundings);
  await using reader = await ReportReader.open(surroundings.amqpUrl);
  let faults = 0;
  const rateOf = (label: string): Rate => ({ label, pagesPerSecond: [], cpuMsPerPage: [] });
  const rates = { bare: rateOf('bare loop'), ours: rateOf('poker-bridge') };
  const read = async (worker: RunningWorker, { pagesPerSecond, cpuMsPerPage }: Rate, isCounted: boolean) => {
    const before = processUsage(worker.pid);
    const { pages, elapsedMs, faults: wrong } = await reader.read(worker, perPage);
    faults += wrong;
    if (!isCounted) return;
    pagesPerSecond.push((pages * 1_000) / elapsedMs);
    cpuMsPerPage.push((processUsage(worker.pid).cpuMs - before.cpuMs) / pages);
  };
  for (let round = 0; round <= rounds; round += 1) {
    await read(bare, rates.bare, round > 0);
    await read(ours, rates.ours, round > 0);
  }
  return { ...rates, faults };
}
