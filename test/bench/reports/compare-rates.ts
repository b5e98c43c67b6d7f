import { randomUUID } from 'node:crypto';

import { BusCaller } from '../../support/bus-caller.ts';
import { type InteractiveLoad, interactiveLoad } from '../../support/interactive-load.ts';
import type { RunningWorker, Surroundings } from '../contestants/contestant.ts';
import { peer } from '../contestants/contestants.ts';
import { OurWorker } from '../contestants/ours.ts';
import { queueDialect } from '../driver/workload.ts';
import { processUsage, type Spread, spreadOf } from '../measure/measure.ts';
import { createWorkplace, startPlatform } from '../stage/stage.ts';
import { type ReadReport, ReportReader } from './report-reader.ts';

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

/** How much of the bare loop's rate is wanted. */
export const LEAST_SHARE = 0.6;
/** Of each report that is read for its rate or its memory. */
export const PER_PAGE = 500;
export const PLATFORM_MS = 20;
/** A worker's own default. */
export const PREFETCH = 2048;

/** Pages a second of a worker for one of the bare loop, round by round. */
export function rateShare({ ours, bare }: Rates): Spread {
  return spreadOf(
    ours.pagesPerSecond.map((pages, round) => pages / (bare.pagesPerSecond[round] ?? Number.NaN)),
  );
}

/** Reads a report by turns with a bare loop and with a worker, on a platform of its own. */
export async function measureRates(amqpUrl: string, rounds: number, records: number): Promise<Rates> {
  using workplace = await createWorkplace();
  await using platform = await startPlatform(workplace, PLATFORM_MS, 'reports', records);
  const surroundings = { workplace, amqpUrl, platform: platform.variables, prefetch: PREFETCH };
  return await compareRates(surroundings, rounds, PER_PAGE);
}

/** Reads the same report by turns with a bare loop and with a worker, once each before it counts. */
export async function compareRates(
  surroundings: Surroundings,
  rounds: number,
  perPage: number,
): Promise<Rates> {
  await using bare = await BARE.start(surroundings);
  await using ours = await OurWorker.start(surroundings);
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
