import { compare, moderateMemory, type Plan } from './compare.ts';
import { type Contestant, CONTESTANTS, OTHER } from './contestants.ts';
import { isFaultless } from './driver/workload.ts';
import { printReport } from './report.ts';
import { describeMachine } from './measure.ts';
import { measureRates } from './reports/compare-rates.ts';
import { openStage } from './stage.ts';
import { timeStarts } from './time-starts.ts';

export interface BenchOptions {
  readonly plan: Plan;
  readonly contestants: readonly Contestant[];
  /** The folder of another checkout, built. */
  readonly other: string | undefined;
}

/**
 * @param only the beginnings of their names; empty for all of them
 * @param hasOther whether there is another checkout
 */
export function chooseContestants(only: readonly string[], hasOther: boolean): Contestant[] {
  const all = [...CONTESTANTS, ...(hasOther ? [OTHER] : [])];
  for (const begin of only) {
    if (!all.some(({ name }) => name.startsWith(begin)))
      throw new Error(`--only ${begin}: there are ${all.map(({ name }) => name).join(', ')}`);
  }
  return all.filter(({ name }) => only.length === 0 || only.some((begin) => name.startsWith(begin)));
}

/**
 * Compares workers on a private broker, reads reports, and times starts.
 *
 * @returns whether every command got exactly one right answer, and every page of a report came right
 */
export async function bench({ plan, contestants, other }: BenchOptions): Promise<boolean> {
  console.log('A private RabbitMQ starts …');
  const { prefetch, rounds, moderateMs, reportRecords, starts } = plan;
  await using stage = await openStage(prefetch, other);
  const report = {
    machine: describeMachine(stage.brokerVersion),
    plan,
    results: await compare(stage, contestants, plan),
    moderate: moderateMs === 0 ? [] : await moderateMemory(stage, plan),
    rates: reportRecords === 0 ? undefined : await measureRates(stage.amqpUrl, rounds, reportRecords),
    starts: starts === 0 ? [] : await timeStarts(stage, starts),
  };
  printReport(report);
  const finishes = [...report.results.flatMap((result) => result.finishes), ...report.moderate];
  return finishes.every(({ tally }) => isFaultless(tally)) && (report.rates?.faults ?? 0) === 0;
}
