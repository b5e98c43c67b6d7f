import { compare, moderateMemory, type Plan } from './compare.ts';
import { type Contestant, CONTESTANTS, otherIn } from './contestants.ts';
import { isFaultless } from './driver/load-driver.ts';
import { boundTable, printReport, type Report } from './report.ts';
import { describeMachine } from './measure.ts';
import { compareRates, PER_PAGE } from './reports/compare-rates.ts';
import { measureMemory } from './reports/memory.ts';
import { openStage, PLATFORM_MS } from './stage.ts';
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
  const { prefetch, rounds, moderateMs, reportRecords, memoryRecords, starts } = plan;
  await using stage = await openStage(prefetch);
  const measured = { records: memoryRecords, perPage: PER_PAGE, latencyMs: PLATFORM_MS };
  const report: Report = {
    machine: describeMachine(stage.brokerVersion),
    plan,
    results: await compare(stage, contestants, plan),
    moderate: moderateMs === 0 ? [] : await moderateMemory(stage, plan),
    rates: reportRecords === 0 ? undefined : await compareRates(stage.amqpUrl, rounds, reportRecords),
    memory: memoryRecords === 0 ? undefined : await measureMemory(stage.amqpUrl, measured),
    startsMs: starts === 0 ? [] : await timeStarts(stage, starts),
  };
  printReport(report);
  return isRight(report) && (memoryRecords === 0 || boundTable(report).every((row) => row.at(-1) !== 'no'));
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
