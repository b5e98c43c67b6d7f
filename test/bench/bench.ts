import { OURS } from './contestants/ours.ts';
import type { Contestant } from './contestants/contestant.ts';
import { CONTESTANTS } from './contestants/contestants.ts';
import { isFaultless } from './driver/workload.ts';
import { median } from './measure/measure.ts';
import { describeMachine, printReport, type Report } from './report/print-report.ts';
import { Progress } from './report/progress.ts';
import { measureRates, type Rate, type Rates } from './reports/compare-rates.ts';
import { compare, moderateMemory, type Plan } from './runs/compare.ts';
import { starters, timeStarts } from './runs/time-starts.ts';
import { openStage, type Stage } from './stage/stage.ts';

export interface BenchOptions {
  readonly plan: Plan;
  readonly contestants: readonly Contestant[];
  /** The folder of another checkout, built. */
  readonly other: string | undefined;
}

export interface Choice {
  /** The beginnings of their names. Empty: all of them. */
  readonly only: readonly string[];
  /** Whether there is another checkout. */
  readonly hasOther: boolean;
}

export function chooseContestants({ only, hasOther }: Choice): Contestant[] {
  const all = [...CONTESTANTS, ...(hasOther ? [OURS.other] : [])];
  if (only.length === 0) return all;
  for (const begin of only) {
    if (!all.some(({ name }) => name.startsWith(begin))) {
      throw new Error(`--only ${begin}: there are ${all.map(({ name }) => name).join(', ')}`);
    }
  }
  return all.filter(({ name }) => only.some((begin) => name.startsWith(begin)));
}

/**
 * Compares workers on a private broker, reads reports, and times starts.
 *
 * @returns whether every command got exactly one right answer, and every page of a report came right
 */
export async function bench({ plan, contestants, other }: BenchOptions): Promise<boolean> {
  console.log('A private RabbitMQ starts …');
  const { prefetch } = plan;
  await using stage = await openStage({ prefetch, ...(other !== undefined && { other }) });
  const report = await measure(stage, plan, contestants);
  printReport(report);
  const finishes = [...report.results.flatMap((result) => result.finishes), ...report.moderate];
  return finishes.every(({ tally }) => isFaultless(tally)) && (report.rates?.faults ?? 0) === 0;
}

async function measure(stage: Stage, plan: Plan, contestants: readonly Contestant[]): Promise<Report> {
  const { rounds, moderateMs, reportRecords, starts } = plan;
  const started = starters(stage);
  const kinds = contestants.length + (moderateMs === 0 ? 0 : 1);
  using progress = new Progress(rounds * kinds + (reportRecords === 0 ? 0 : 1) + starts * started.length);
  return {
    machine: describeMachine(stage.brokerVersion),
    plan,
    results: await compare(stage, contestants, plan, progress),
    moderate: moderateMs === 0 ? [] : await moderateMemory(stage, plan, progress),
    rates: reportRecords === 0 ? undefined : await readReports(stage, plan, progress),
    starts: starts === 0 ? [] : await timeStarts(stage, started, starts, progress),
  };
}

async function readReports(
  { amqpUrl }: Stage,
  { rounds, reportRecords }: Plan,
  progress: Progress,
): Promise<Rates> {
  progress.step(`reports of ${reportRecords} records`);
  const rates = await measureRates(amqpUrl, rounds, reportRecords);
  const perSecond = ({ pagesPerSecond }: Rate): string => median(pagesPerSecond).toFixed(1);
  const read = `${perSecond(rates.ours)} pages a second, the bare loop ${perSecond(rates.bare)}`;
  progress.done(`reports  ${read}; ${rates.faults} pages wrong`);
  return rates;
}
