import { messageOf } from '../../scripts/message-of.ts';
import { besideReports } from './apart/apart.ts';
import { boundTable, NO, type Report } from './bounds.ts';
import { compare, moderateMemory, type Plan } from './compare.ts';
import { type Contestant, CONTESTANTS, otherIn } from './contestants.ts';
import { isFaultless } from './driver/load-driver.ts';
import { describeMachine } from './measure.ts';
import { platformTimeMs } from './platform/direct-calls.ts';
import { printReport } from './report.ts';
import { compareRates, PER_PAGE } from './reports/compare-rates.ts';
import { measureMemory } from './reports/memory.ts';
import { measureScaling } from './scaling.ts';
import { openStage, PLATFORM_MS, type Stage } from './stage.ts';
import { timeStarts } from './time-starts.ts';

/**
 * @param only prefixes of the names of the contestants to run; empty for all of them
 * @param other the folder of another built checkout, if given
 */
export function chooseContestants(only: readonly string[], other: string | undefined): Contestant[] {
  const all = [...CONTESTANTS, ...(other === undefined ? [] : [otherIn(other)])];
  for (const begin of only) {
    if (!all.some(({ name }) => name.startsWith(begin)))
      throw new Error(`--only ${begin}: there are ${all.map(({ name }) => name).join(', ')}`);
  }
  return all.filter(({ name }) => only.length === 0 || only.some((begin) => name.startsWith(begin)));
}

/**
 * Compares workers on a private broker, reads reports, and times starts.
 *
 * @returns true if every command got exactly one correct answer, and every page of a report was correct; if
 *   the run watches memory while a report is read, the memory must be within the bounds, too
 */
export async function bench({ plan, contestants }: { plan: Plan; contestants: readonly Contestant[] }) {
  console.log('A private RabbitMQ starts …');
  const { prefetch, rounds, moderateMs, reportRecords, memoryRecords, starts, isWhole } = plan;
  await using stage = await openStage(prefetch);
  const { amqpUrl } = stage;
  const failures: string[] = [];
  /** Measures a part of the run, whose failure does not cost the results of the others. */
  const part = async <T>(isWanted: boolean, measure: () => Promise<T>): Promise<T | undefined> => {
    if (!isWanted) return undefined;
    try {
      return await measure();
    } catch (error) {
      console.error(failures[failures.push(messageOf(error)) - 1]);
      return undefined;
    }
  };
  const measured = { records: memoryRecords, perPage: PER_PAGE, latencyMs: PLATFORM_MS };
  const report: Report = {
    machine: describeMachine(stage.brokerVersion),
    plan,
    results: await compare(stage, contestants, plan),
    platformMs: (await part(isWhole, () => platformTimes(stage, plan))) ?? [],
    moderate: (await part(moderateMs > 0, () => moderateMemory(stage, plan))) ?? [],
    rates: await part(reportRecords > 0, () => compareRates(amqpUrl, rounds, reportRecords)),
    memory: await part(memoryRecords > 0, () => measureMemory(amqpUrl, measured)),
    beside: await part(isWhole, () => besideReports(amqpUrl, rounds)),
    scaling: await part(isWhole, () => measureScaling(amqpUrl, rounds)),
    starts: await part(starts > 0, () => timeStarts(stage, starts)),
  };
  printReport(report);
  const holds = memoryRecords === 0 || boundTable(report).every((row) => row.at(-1) !== NO);
  return failures.length === 0 && isRight(report) && holds;
}

async function platformTimes(stage: Stage, { rounds, perSecond }: Plan): Promise<number[]> {
  const timesMs: number[] = [];
  while (timesMs.length < rounds) timesMs.push(await platformTimeMs(stage, perSecond));
  return timesMs;
}

function isRight({ results, moderate, rates, memory, plan }: Report): boolean {
  const finishes = [...results.flatMap((result) => result.finishes), ...moderate];
  return (
    finishes.every(({ tally }) => isFaultless(tally)) &&
    (rates?.faults ?? 0) === 0 &&
    (memory === undefined ||
      (memory.report.faults === 0 &&
        memory.report.end['records'] === plan.memoryRecords &&
        memory.beside.failures.length === 0))
  );
}
