import { markdownTable } from 'markdown-table';

import type { Finish, Plan, Result, Sample } from './compare.ts';
import { isFaultless, type Tally } from './driver/workload.ts';
import { bottleneck, type Machine, median, medianShares, shareOfOthers, withRange } from './measure.ts';
import { LEAST_SHARE, type Rates, rateShares } from './reports/compare-rates.ts';
import { NPM_RUN_WORKER, type StartResult } from './time-starts.ts';

/** All that a run has found out. */
export interface Report {
  readonly machine: Machine;
  readonly plan: Plan;
  /** Empty if nothing was compared. */
  readonly results: readonly Result[];
  /** Workers of ours that had nothing but the moderate rate. Empty if none was measured. */
  readonly moderate: readonly Finish[];
  /** `undefined` if no report was read. */
  readonly rates: Rates | undefined;
  /** Empty if no start was timed. */
  readonly starts: readonly StartResult[];
}

/** The first row is the head. */
type Table = readonly (readonly string[])[];

const MOST_MEMORY_MB = 150;
const MOST_START_SECONDS = 0.6;
/** The processor time of a command with Redis, for one without. */
const MOST_WITH_REDIS = 1.2;
/** The part of a processor that other processes may use without a warning. */
const NOTICEABLE = 0.3;

/** Processor time of a command at the rate, and at full speed. */
const CPU = {
  rate: (sample: Sample) => sample.cpuMsPerCommandAtRate,
  full: (sample: Sample) => sample.cpuMsPerCommand,
} as const;

/** The most that a command may cost, for one of a peer. */
const MOST_CPU = [
  { load: 'rate', kind: 'bare', name: 'the bare loop', most: 1.2 },
  { load: 'rate', kind: 'nest', name: 'Nest’s own transport', most: 0.85 },
  { load: 'full', kind: 'bare', name: 'the bare loop', most: 1.15 },
  { load: 'full', kind: 'nest', name: 'Nest’s own transport', most: 0.8 },
] as const;

/** What one figure of this worker is to be; no values if it was not measured. */
interface Bound {
  readonly what: string;
  readonly most?: number;
  readonly least?: number;
  readonly unit?: string;
  readonly measured: readonly number[];
}

/** Each bound that something was measured for, and whether the median holds it. */
export function boundTable(report: Report): Table {
  const rows = boundsOf(report).flatMap(({ what, most, least, unit = '', measured }) => {
    if (measured.length === 0) return [];
    const digits = unit === ' MB' ? 0 : 2;
    const bound = `at ${most === undefined ? 'least' : 'most'} ${(most ?? least)?.toFixed(digits)}${unit}`;
    const holds = median(measured) <= (most ?? Infinity) && median(measured) >= (least ?? -Infinity);
    return [[what, bound, `${withRange(measured, digits)}${unit}`, holds ? 'yes' : 'no']];
  });
  return [['what', 'bound', 'measured', 'holds'], ...rows];
}

function boundsOf({ plan, results, moderate, rates, starts }: Report): Bound[] {
  const rate = `${plan.perSecond}/s`;
  const memory = { most: MOST_MEMORY_MB, unit: ' MB' };
  const start = starts.find(({ name }) => name === NPM_RUN_WORKER);
  return [
    ...MOST_CPU.flatMap(({ load, kind, name, most }) =>
      ['classic', 'quorum'].map((queueType) => ({
        what: `CPU of a command at ${load === 'rate' ? rate : 'full speed'} against ${name}, ${queueType}`,
        most,
        measured: ratiosTo(`${kind}-${queueType}`, results, CPU[load]),
      })),
    ),
    {
      what: 'CPU of a command at full speed with Redis, against without',
      most: MOST_WITH_REDIS,
      measured: ratiosTo('redis', results, CPU.full).map((share) => 1 / share),
    },
    { what: `peak memory at ${rate} alone`, ...memory, measured: peakMemoryMb(moderate) },
    { what: 'peak memory at full speed', ...memory, measured: peakMemoryMb(oursIn(results)?.finishes ?? []) },
    {
      what: 'pages of a report a second against the bare loop',
      least: LEAST_SHARE,
      measured: rates ? rateShares(rates) : [],
    },
    {
      what: '`npm run worker` to the first reply',
      most: MOST_START_SECONDS,
      unit: ' s',
      measured: start?.timesMs.map((ms) => ms / 1_000) ?? [],
    },
  ];
}

function oursIn(results: readonly Result[]): Result | undefined {
  return results.find(({ contestant }) => contestant.name === 'ours');
}

/** Ours for one of another; round by round, since whatever the machine does meanwhile meets both. */
function ratiosTo(name: string, results: readonly Result[], of: (sample: Sample) => number): number[] {
  const other = results.find(({ contestant }) => contestant.name === name);
  const samples = oursIn(results)?.samples ?? [];
  return samples.flatMap((sample, round) => {
    const theirs = other?.samples[round];
    return theirs === undefined ? [] : [of(sample) / of(theirs)];
  });
}

/** Decimal megabytes. */
function peakMemoryMb(finishes: readonly Finish[]): number[] {
  return finishes.map(({ peakMemoryMib }) => (peakMemoryMib * 1_024 ** 2) / 1e6);
}

/** What a command costs, how long it takes, and what limits how many fit into a second. */
export function workerTable({ results, plan, machine }: Report): Table {
  const head = ['worker', 'queue', 'CPU a command', `at ${plan.perSecond}/s`, 'peak memory', 'answers'];
  const rows = results.map(({ contestant, samples, finishes }) => {
    const values = (of: (sample: Sample) => number): number[] => samples.map(of);
    return [
      contestant.label,
      contestant.queueType,
      `${withRange(values(CPU.full), 3)} ms`,
      `${median(values(CPU.rate)).toFixed(3)} ms`,
      `${median(peakMemoryMb(finishes)).toFixed(0)} MB`,
      answersOf(finishes.map(({ tally }) => tally)),
      `${median(values(({ p50Ms }) => p50Ms)).toFixed(1)} ms`,
      `${withRange(
        values(({ p99Ms }) => p99Ms),
        1,
      )} ms`,
      withRange(
        values(({ commandsPerSecond }) => commandsPerSecond),
        0,
      ),
      bottleneck(medianShares(samples.map(({ shares }) => shares)), machine.processors),
    ];
  });
  return [[...head, 'p50', 'p99', 'commands a second', 'bound by'], ...rows];
}

function answersOf(tallies: readonly Tally[]): string {
  const sum = (of: (tally: Tally) => number): number =>
    tallies.reduce((total, tally) => total + of(tally), 0);
  const right = sum((tally) => tally.right);
  if (tallies.every(isFaultless)) return `${right} right`;
  const faults = (['wrong', 'double', 'stray', 'missing'] as const).map(
    (fault) => `${sum((tally) => tally[fault])} ${fault}`,
  );
  return [`${right} of ${sum(({ sent }) => sent)} right`, ...faults].join(', ');
}

/** Processor time of a command of ours for one of each other. */
export function ratioTable({ results, plan }: Report): Table {
  const head = ['poker-bridge against', 'queue', 'CPU at full speed', `CPU at ${plan.perSecond}/s`];
  const others = results.filter(({ contestant: { name } }) => name !== 'ours' && oursIn(results));
  const rows = others.map(({ contestant: { name, label, queueType } }) => [
    label,
    queueType,
    ...[CPU.full, CPU.rate].map((of) => withRange(ratiosTo(name, results, of), 2)),
  ]);
  return [head, ...rows];
}

/** A warning if other processes used the machine during the measurement; otherwise nothing. */
export function busyLines({ results, machine: { processors } }: Report): string[] {
  const others = Math.max(
    ...results.map(({ samples }) => shareOfOthers(medianShares(samples.map(({ shares }) => shares)))),
  );
  if (others < NOTICEABLE) return [];
  const share = `${others.toFixed(1)} of ${processors} processors`;
  return [
    `Other processes used up to ${share} meanwhile: on a quiet machine the figures are lower, and closer together.`,
  ];
}

function startTable({ starts }: Report): Table {
  return [
    ['service', 'start to first answer', 'starts'],
    ...starts.map(({ label, timesMs }) => [label, `${withRange(timesMs, 0)} ms`, String(timesMs.length)]),
  ];
}

/** Prints what a run has found out as Markdown, for docs/performance.md; the bounds last. */
export function printReport(report: Report): void {
  const today = new Date().toISOString().slice(0, 10);
  const tables = [workerTable, ratioTable, startTable, boundTable].map((tableOf) => tableOf(report));
  const paragraphs = [
    `Made on ${today}, ${report.plan.rounds} rounds, median (least–most). ${report.machine.description}.`,
    ...tables.filter((table) => table.length > 1).map((table) => markdownTable(table)),
    ...(report.results.length > 0 ? busyLines(report) : []),
  ];
  console.log(`\n${paragraphs.join('\n\n')}`);
}
