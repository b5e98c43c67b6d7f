import { randomUUID } from 'node:crypto';

import { BusCaller } from '../../../test/support/bus-caller.ts';
import { type InteractiveLoad, interactiveLoad } from '../../../test/support/interactive-load.ts';
import { type OurWorker, startOurWorker } from '../contestants.ts';
import { processUsage } from '../measure.ts';
import { startPlatform } from '../stage.ts';
import { PREFETCH } from './compare-rates.ts';
import { type ReadReport, openReportReader } from './report-reader.ts';

const PLAYERS_PER_SECOND = 40;
const LOOK_MS = 250;
/** The load of players is measured in parts because its caller keeps every reply. */
const PART_MS = 5_000;
const PARTS_ALONE = 4;

export interface ReportMemory {
  /**
   * The maximum increase of resident memory while it read the report, relative to players alone before any
   * report.
   */
  readonly aboveIdleMib: number;
  readonly report: ReadReport;
  /** The results of the players, before the report and while it was read. */
  readonly alone: InteractiveLoad;
  readonly beside: InteractiveLoad;
}

/** A report to read: its records, the records of a page, and the latency of each call in milliseconds. */
export interface MeasuredReport {
  readonly records: number;
  readonly perPage: number;
  readonly latencyMs: number;
}

/** Measures the memory of a worker, and the latencies of its players, while it reads a report. */
export async function measureMemory(
  amqpUrl: string,
  { records, perPage, latencyMs }: MeasuredReport,
): Promise<ReportMemory> {
  await using platform = await startPlatform(latencyMs, records);
  await using worker = await startOurWorker({ amqpUrl, platform: platform.variables, prefetch: PREFETCH });
  await using reader = await openReportReader(amqpUrl);
  const playersUntil = async (isOver: (parts: number) => boolean): Promise<InteractiveLoad> => {
    const parts: InteractiveLoad[] = [];
    while (!isOver(parts.length)) parts.push(await playersLoad(amqpUrl, worker));
    return {
      latenciesMs: parts.flatMap((part) => part.latenciesMs),
      failures: parts.flatMap(({ failures }) => failures),
    };
  };
  await playersUntil((parts) => parts === 1);
  const alone = await playersUntil((parts) => parts === PARTS_ALONE);
  const residentMib = (): number => processUsage(worker.pid).memoryMib;
  const idleMib = residentMib();
  let mostMib = idleMib;
  const timer = setInterval(() => (mostMib = Math.max(mostMib, residentMib())), LOOK_MS);
  let isRead = false;
  const players = playersUntil(() => isRead);
  const report = await reader.read(worker, perPage);
  clearInterval(timer);
  isRead = true;
  return { aboveIdleMib: mostMib - idleMib, report, alone, beside: await players };
}

async function playersLoad(amqpUrl: string, { prefix }: OurWorker): Promise<InteractiveLoad> {
  await using caller = await BusCaller.open(amqpUrl, prefix);
  const send = () => caller.send('session.create', { userId: randomUUID() });
  return await interactiveLoad(send, PLAYERS_PER_SECOND, PART_MS);
}
