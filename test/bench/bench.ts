import { writeFileSync } from 'node:fs';

import { WORKER } from '../../scripts/build/programs.ts';
import type { Contestant } from './contestants/contestant.ts';
import { CONTESTANTS } from './contestants/contestants.ts';
import { ours } from './contestants/ours.ts';
import { isFaultless } from './driver/ledger.ts';
import { describeMachine } from './report/machine.ts';
import { printReport, writeReport } from './report/present-report.ts';
import { Progress } from './report/progress.ts';
import type { Report } from './report/tables.ts';
import { compare } from './runs/compare.ts';
import type { Plan } from './runs/plan.ts';
import { profile, profileLines } from './runs/profile.ts';
import { starters } from './runs/starters.ts';
import { timeStarts } from './runs/time-starts.ts';
import { openStage, type Stage } from './stage/stage.ts';

export interface BenchOptions {
  readonly plan: Plan;
  readonly contestants: readonly Contestant[];
  /** How often each start is timed; 0 for not at all. */
  readonly starts: number;
  /** The folder of another checkout, built. */
  readonly other: string | undefined;
  /** Whether the documentation gets what is found out. */
  readonly isWritten: boolean;
  /** A file for all that is found out, as JSON. */
  readonly json: string | undefined;
}

/** Peers as well started with the flags of Node.js that a worker of this repository has. */
export function withWorkerFlags(contestants: readonly Contestant[]): Contestant[] {
  return contestants.map((contestant) => ({
    ...contestant,
    start: (surroundings, nodeFlags = []) =>
      contestant.start(
        surroundings,
        contestant.name === 'ours' ? nodeFlags : [...WORKER.flags, ...nodeFlags],
      ),
  }));
}

/** Those whose names begin with one of `only`. Default: all, and the other checkout if there is one. */
export function chooseContestants(only: readonly string[], hasOther: boolean): Contestant[] {
  const all = hasOther ? [...CONTESTANTS, ours('other')] : CONTESTANTS;
  if (only.length === 0) return [...all];
  for (const begin of only) {
    if (!all.some(({ name }) => name.startsWith(begin))) {
      throw new Error(`--only ${begin}: there are ${all.map(({ name }) => name).join(', ')}`);
    }
  }
  return all.filter(({ name }) => only.some((begin) => name.startsWith(begin)));
}

/**
 * Compares workers on a private broker, and times their start.
 *
 * @returns whether every command got exactly one right answer
 */
export async function bench({
  plan,
  contestants,
  starts,
  other,
  isWritten,
  json,
}: BenchOptions): Promise<boolean> {
  await using stage = await openBenchStage(other);
  const report = await measure(stage, plan, contestants, starts);
  printReport(report);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
  if (isWritten) console.log(`\nWritten: ${writeReport(report).join(', ')}`);
  return report.results.every(({ finishes }) => finishes.every(({ tally }) => isFaultless(tally)));
}

/** Prints where the processor time of each worker goes. */
export async function benchProfiles({ plan, contestants, other }: BenchOptions): Promise<void> {
  await using stage = await openBenchStage(other);
  for (const contestant of contestants) {
    console.log(['', ...profileLines(contestant.name, await profile(contestant, stage, plan))].join('\n'));
  }
}

async function openBenchStage(other: string | undefined): Promise<Stage> {
  console.log('A private RabbitMQ starts …');
  return openStage(other === undefined ? {} : { other });
}

async function measure(
  stage: Stage,
  plan: Plan,
  contestants: readonly Contestant[],
  starts: number,
): Promise<Report> {
  const started = starters(stage);
  using progress = new Progress(plan.rounds * contestants.length + starts * started.length);
  return {
    machine: describeMachine(stage.brokerVersion),
    plan,
    results: await compare(stage, contestants, plan, progress),
    starts: starts === 0 ? [] : await timeStarts(stage, started, starts, progress),
  };
}
