import type { RunningWorker, Surroundings } from '../contestants/contestant.ts';
import { OurWorkers } from '../contestants/ours.ts';
import { peer } from '../contestants/peer.ts';
import { queueDialect } from '../driver/dialect.ts';
import { processUsage } from '../measure/process-usage.ts';
import { ReportReader } from './report-reader.ts';

const BARE = peer({
  name: 'bare-report',
  label: 'bare loop',
  program: 'bare-report',
  queueType: 'quorum',
  dialect: queueDialect,
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

/** Reads the same report by turns with a bare loop and with a worker, once each before it counts. */
export async function compareRates(
  surroundings: Surroundings,
  rounds: number,
  perPage: number,
): Promise<Rates> {
  await using bare = await BARE.start(surroundings);
  await using ours = await OurWorkers.start(surroundings);
  await using reader = await ReportReader.open(surroundings.amqpUrl);
  let faults = 0;
  const rateOf = (label: string): Rate => ({ label, pagesPerSecond: [], cpuMsPerPage: [] });
  const rates = { bare: rateOf('bare loop'), ours: rateOf('poker-bridge') };
  const read = async (worker: RunningWorker, { pagesPerSecond, cpuMsPerPage }: Rate, isCounted: boolean) => {
    const before = processUsage(worker.process.pid);
    const { pages, elapsedMs, faults: wrong } = await reader.read(worker, perPage);
    faults += wrong;
    if (!isCounted) return;
    pagesPerSecond.push((pages * 1_000) / elapsedMs);
    cpuMsPerPage.push((processUsage(worker.process.pid).cpuMs - before.cpuMs) / pages);
  };
  for (let round = 0; round <= rounds; round += 1) {
    await read(bare, rates.bare, round > 0);
    await read(ours, rates.ours, round > 0);
  }
  return { ...rates, faults };
}
