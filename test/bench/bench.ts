import { writeFileSync } from 'node:fs';

import { OURS } from './contestants/ours.ts';
import type { Contestant } from './contestants/contestant.ts';
import { contestantsOf } from './contestants/contestants.ts';
import { isFaultless } from './driver/ledger.ts';
import { median } from './measure/statistics.ts';
import { describeMachine } from './report/machine.ts';
import { printReport } from './report/print-report.ts';
import { Progress } from './report/progress.ts';
import type { Report } from './report/tables.ts';
import { measureRates, type Rate, type Rates } from './reports/compare-rates.ts';
import { compare } from './runs/compare.ts';
import { moderateMemory } from './runs/moderate-memory.ts';
import type { Plan } from './runs/plan.ts';
import { starters } from './runs/starters.ts';
import { timeStarts } from './runs/time-starts.ts';
import { openStage, type Stage } from './stage/stage.ts';

export interface BenchOptions {
  readonly plan: Plan;
  readonly contestants: readonly Contestant[];
  /** The folder of another checkout, built. */
  readonly other: string | undefined;
  /** A file for all that is found out, as JSON. */
  readonly json: string | undefined;
}

export interface Choice {
  /** The beginnings of their names. Empty: all of them. */
  readonly only: readonly string[];
  /** Whether there is another checkout. */
  readonly hasOther: boolean;
  /** Whether peers run with plain Node.js. */
  readonly isPlain: boolean;
}

export function chooseContestants({ only, hasOther, isPlain }: Choice): Contestant[] {
  const all = [...contestantsOf(isPlain), ...(hasOther ? [OURS.other] : [])];
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
export async function bench({ plan, contestants, other, json }: BenchOptions): Promise<boolean> {
  console.log('A private RabbitMQ starts …');
  const { operators, prefetch } = plan;
  await using stage = await openStage({ operators, prefetch, ...(other !== undefined && { other }) });
  const report = await measure(stage, plan, contestants);
  printReport(report);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
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
