import { randomUUID } from 'node:crypto';

import { BusCaller } from '../../support/bus-caller.ts';
import type { OurWorker } from '../contestants/ours.ts';
import { type InteractiveLoad, interactiveLoad } from '../../support/interactive-load.ts';
import type { ReadReport, ReportReader } from './report-reader.ts';

/** 60 MB. */
export const MOST_ABOVE_IDLE_MIB = 57;

const PLAYERS_PER_SECOND = 40;
const WARM_MS = 5_000;
const LOOK_MS = 250;
/** A load of players is measured in parts, since it keeps what it saw. */
const PART_MS = 5_000;

export interface ReportMemory {
  /** Resident after it has served players for some seconds, before any report. */
  readonly idleMib: number;
  /** The most that it had resident while it read the report. */
  readonly mostMib: number;
  readonly report: ReadReport;
  /** What players saw, before the report and while it was read. */
  readonly alone: InteractiveLoad;
  readonly beside: InteractiveLoad;
}

/** Looks at the memory of a worker while it reads a report, and serves players. */
export async function measureMemory(
  worker: OurWorker,
  reader: ReportReader,
  amqpUrl: string,
  perPage: number,
): Promise<ReportMemory> {
  const load = (forMs: number): Promise<InteractiveLoad> => playersLoad(amqpUrl, worker.prefix, forMs);
  await load(WARM_MS);
  const alone = await load(WARM_MS);
  const idleMib = worker.memoryMib;
  let mostMib = idleMib;
  const timer = setInterval(() => (mostMib = Math.max(mostMib, worker.memoryMib)), LOOK_MS);
  const ending = { isOver: false };
  const players = (async () => {
    const parts: InteractiveLoad[] = [];
    while (!ending.isOver) parts.push(await load(PART_MS));
    return merge(parts);
  })();
  const report = await reader.read(worker, perPage);
  clearInterval(timer);
  ending.isOver = true;
  return { idleMib, mostMib, report, alone, beside: await players };
}

/** How much more than idle the worker had resident at most. */
export function aboveIdleMib({ idleMib, mostMib }: ReportMemory): number {
  return mostMib - idleMib;
}

/** With a caller of its own, which keeps every reply until it is gone. */
async function playersLoad(amqpUrl: string, prefix: string, forMs: number): Promise<InteractiveLoad> {
  await using caller = await BusCaller.open(amqpUrl, prefix);
  return await interactiveLoad(
    () => caller.send('session.create', { userId: randomUUID() }),
    PLAYERS_PER_SECOND,
    forMs,
  );
}

function merge(parts: readonly InteractiveLoad[]): InteractiveLoad {
  const failures: Record<string, number> = {};
  for (const part of parts) {
    for (const [code, count] of Object.entries(part.failures)) failures[code] = (failures[code] ?? 0) + count;
  }
  return { latenciesMs: parts.flatMap(({ latenciesMs }) => latenciesMs).toSorted((a, b) => a - b), failures };
}
