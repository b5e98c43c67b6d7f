import { randomUUID } from 'node:crypto';

import { BusCaller } from '../../../test/support/bus-caller.ts';
import { type InteractiveLoad, interactiveLoad } from '../../../test/support/interactive-load.ts';
import { type OurWorker, startOurWorker } from '../contestants.ts';
import { processUsage } from '../measure.ts';
import { startPlatform } from '../stage.ts';
import { PER_PAGE, PREFETCH } from './compare-rates.ts';
import { type ReadReport, openReportReader } from './report-reader.ts';

const PLAYERS_PER_SECOND = 40;
const LOOK_MS = 250;
/** A load of players is measured in parts, since its caller keeps every reply. */
const PART_MS = 5_000;

export interface ReportMemory {
  /** How much more it had resident at most while it read the report than before any, with players alone. */
  readonly aboveIdleMib: number;
  readonly report: ReadReport;
  /** What players saw, before the report and while it was read. */
  readonly alone: InteractiveLoad;
  readonly beside: InteractiveLoad;
}

/** The memory of a worker while it reads a report of that many records, and serves players. */
export async function measureMemory(
  amqpUrl: string,
  records: number,
  platformMs: number,
): Promise<ReportMemory> {
  await using platform = await startPlatform(platformMs, records);
  await using worker = await startOurWorker({ amqpUrl, platform: platform.variables, prefetch: PREFETCH });
  await using reader = await openReportReader(amqpUrl);
  const load = (): Promise<InteractiveLoad> => playersLoad(amqpUrl, worker);
  await load();
  const alone = await load();
  const residentMib = (): number => processUsage(worker.pid).memoryMib;
  const idleMib = residentMib();
  let mostMib = idleMib;
  const timer = setInterval(() => (mostMib = Math.max(mostMib, residentMib())), LOOK_MS);
  const ending = { isOver: false };
  const players = (async () => {
    const parts: InteractiveLoad[] = [];
    while (!ending.isOver) parts.push(await load());
    return {
      latenciesMs: parts.flatMap(({ latenciesMs }) => latenciesMs),
      failures: parts.flatMap(({ failures }) => failures),
    };
  })();
  const report = await reader.read(worker, PER_PAGE);
  clearInterval(timer);
  ending.isOver = true;
  return { aboveIdleMib: mostMib - idleMib, report, alone, beside: await players };
}

async function playersLoad(amqpUrl: string, { prefix }: OurWorker): Promise<InteractiveLoad> {
  await using caller = await BusCaller.open(amqpUrl, prefix);
  const send = () => caller.send('session.create', { userId: randomUUID() });
  return await interactiveLoad(send, PLAYERS_PER_SECOND, PART_MS);
}
