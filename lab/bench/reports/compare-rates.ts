import { peer, startOurWorker } from '../contestants.ts';
import { PLATFORM_MS, startPlatform } from '../stage.ts';
import { openReportReader } from './report-reader.ts';

const BARE = peer({
  name: 'bare-report',
  label: 'bare loop',
  program: 'bare-report',
});

/** The pages a second of both, with one value per round. */
export interface Rates {
  readonly ours: readonly number[];
  readonly bare: readonly number[];
  /** The number of incorrect pages, and of reports that did not end correctly. */
  readonly faults: number;
}

export const PER_PAGE = 500;
export const PREFETCH = 2048;

/** Reads the same report alternately with a bare loop and a worker. The first read of each is a warm-up. */
export async function compareRates(amqpUrl: string, rounds: number, records: number): Promise<Rates> {
  await using platform = await startPlatform(PLATFORM_MS, records);
  const surroundings = { amqpUrl, platform: platform.variables, prefetch: PREFETCH };
  await using bare = await BARE.start(surroundings);
  await using ours = await startOurWorker(surroundings);
  await using reader = await openReportReader(amqpUrl);
  const rates = { ours: [] as number[], bare: [] as number[] };
  let faults = 0;
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, worker] of [['bare', bare] as const, ['ours', ours] as const]) {
      const { pages, elapsedMs, faults: wrong } = await reader.read(worker, PER_PAGE);
      faults += wrong;
      if (round > 0) rates[name].push((pages * 1_000) / elapsedMs);
    }
  }
  return { ...rates, faults };
}
