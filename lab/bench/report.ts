import { markdownTable } from 'markdown-table';

import type { Finish, Plan, Result, Sample } from './compare.ts';
import { isFaultless, type Tally } from './driver/load-driver.ts';
import { countsOf, type Machine, median, percentile, withRange } from './measure.ts';
import type { Rates } from './reports/compare-rates.ts';
import type { ReportMemory } from './reports/memory.ts';

export interface Report {
  readonly machine: Machine;
  readonly plan: Plan;
  /** The results of each contestant. Empty if nothing was compared. */
  readonly results: readonly Result[];
  /** Our workers that served only the moderate rate. Empty if none was measured. */
  readonly moderate: readonly Finish[];
  /** `undefined` if no report was read. */
  readonly rates: Rates | undefined;
  /** `undefined` if no memory was watched while a report was read. */
  readonly memory: ReportMemory | undefined;
  /** From `npm run worker` to the first answer. Empty if no start was timed. */
  readonly startsMs: readonly number[];
}

/** The first row is the header. */
type Table = readonly (readonly string[])[];

const MB_IN_MIB = 1_024 ** 2 / 1e6;
const MOST_MEMORY_MB = 150;
const MOST_ABOVE_IDLE_MB = 60;
/** The minimum report pages a second, relative to the bare loop. */
const LEAST_PAGES = 0.6;
const MOST_START_SECONDS = 0.6;
/** The maximum CPU time of a command with Redis, relative to a command without it. */
const MOST_WITH_REDIS = 1.2;
/** The fraction of a processor that other processes may use without a warning. */
const NOTICEABLE = 0.3;

/** CPU time of a command at the rate, and at full speed. */
const CPU = {
  rate: 'cpuMsPerCommandAtRate',
  full: 'cpuMsPerCommand',
} as const;

/** A figure of this worker, and its bound. Without values if it was not measured. */
interface Bound {
  readonly what: string;
  readonly most?: number | undefined;
  readonly least?: number;
  readonly unit?: string;
  readonly measured: readonly number[];
}

/**
 * Renders each measured figure, and whether its median is within its bound. Peers without a bound are shown
 * for comparison.
 */
export function boundTable(report: Report): Table {
  const rows = boundsOf(report).flatMap(({ what, most, least, unit = '', measured }) => {
    if (measured.length === 0) return [];
    const digits = unit === ' MB' ? 0 : 2;
    const shown = `${withRange(measured, digits)}${unit}`;
    const limit = most ?? least;
    if (limit === undefined) return [[what, '', shown, '']];
    const bound = `at ${most === undefined ? 'least' : 'most'} ${limit.toFixed(digits)}${unit}`;
    const holds = median(measured) <= (most ?? Infinity) && median(measured) >= (least ?? -Infinity);
    return [[what, bound, shown, holds ? 'yes' : 'no']];
  });
  return [['what', 'bound', 'measured', 'holds'], ...rows];
}

function boundsOf({ plan, results, moderate, rates, memory, startsMs }: Report): Bound[] {
  const rate = `${plan.perSecond}/s`;
  const peak = { most: MOST_MEMORY_MB, unit: ' MB' };
  const others = results.filter(({ contestant: { name } }) => name !== 'ours' && name !== 'redis');
  return [
    ...(['rate', 'full'] as const).flatMap((load) =>
      others.map(({ contestant: { name, label, queueType, most } }) => ({
        what: `CPU at ${load === 'rate' ? rate : 'full speed'} against ${label}, ${queueType}`,
        most: most?.[load],
        measured: ratiosTo(name, results, CPU[load]),
      })),
    ),
    {
      what: 'CPU at full speed with Redis, against without',
      most: MOST_WITH_REDIS,
      measured: ratiosTo('redis', results, CPU.full).map((share) => 1 / share),
    },
    { what: `peak memory at ${rate} alone`, ...peak, measured: peakMemoryMb(moderate) },
    { what: 'peak memory at full speed', ...peak, measured: peakMemoryMb(oursIn(results)?.finishes ?? []) },
    {
      what: 'pages of a report a second against the bare loop',
      least: LEAST_PAGES,
      measured: rates?.ours.map((pages, round) => pages / (rates.bare[round] ?? Number.NaN)) ?? [],
    },
    {
      what: `memory above idle while a report of ${plan.memoryRecords} records is read`,
      most: MOST_ABOVE_IDLE_MB,
      unit: ' MB',
      measured: memory ? [memory.aboveIdleMib * MB_IN_MIB] : [],
    },
    {
      what: '`npm run worker` to the first reply',
      most: MOST_START_SECONDS,
      unit: ' s',
      measured: startsMs.map((ms) => ms / 1_000),
    },
  ];
}

function oursIn(results: readonly Result[]): Result | undefined {
  return results.find(({ contestant }) => contestant.name === 'ours');
}

/**
 * Returns our values relative to those of another worker, round by round, because other activity of the
 * machine affects both.
 */
function ratiosTo(name: string, results: readonly Result[], figure: keyof Sample): number[] {
  const other = results.find(({ contestant }) => contestant.name === name);
  const samples = oursIn(results)?.samples ?? [];
  return samples.flatMap((sample, round) => {
    const theirs = other?.samples[round];
    return theirs === undefined ? [] : [sample[figure] / theirs[figure]];
  });
}

function peakMemoryMb(finishes: readonly Finish[]): number[] {
  return finishes.map(({ peakMemoryMib }) => peakMemoryMib * MB_IN_MIB);
}

/** Renders the CPU time of a command, its latency, and the commands a second. */
function workerTable({ results, plan }: Report): Table {
  const head = ['worker', 'queue', 'CPU a command', `at ${plan.perSecond}/s`, 'peak memory', 'answers'];
  const rows = results.map(({ contestant, samples, finishes }) => {
    const values = (figure: keyof Sample): number[] => samples.map((sample) => sample[figure]);
    return [
      contestant.label,
      contestant.queueType,
      `${withRange(values(CPU.full), 3)} ms`,
      `${median(values(CPU.rate)).toFixed(3)} ms`,
      `${median(peakMemoryMb(finishes)).toFixed(0)} MB`,
      answersOf(finishes.map(({ tally }) => tally)),
      `${median(values('p50Ms')).toFixed(1)} ms`,
      `${withRange(values('p99Ms'), 1)} ms`,
      withRange(values('commandsPerSecond'), 0),
    ];
  });
  return [[...head, 'p50', 'p99', 'commands a second'], ...rows];
}

function answersOf(tallies: readonly Tally[]): string {
  const sum = (of: (tally: Tally) => number): number =>
    tallies.reduce((total, tally) => total + of(tally), 0);
  const right = sum((tally) => tally.right);
  if (tallies.every(isFaultless)) return `${right} right`;
  return `${right} of ${sum(({ sent }) => sent)} right, ${sum(({ faults }) => faults)} wrong or twice`;
}

/** Returns a warning if other processes used the machine during the measurement. */
function busyLines({ results, machine: { processors } }: Report): string[] {
  const others = Math.max(...results.map(({ samples }) => median(samples.map((sample) => sample.others))));
  if (others < NOTICEABLE) return [];
  const share = `${others.toFixed(1)} of ${processors} processors`;
  return [
    `Other processes used up to ${share} meanwhile: on a quiet machine the figures are lower, and closer together.`,
  ];
}

function reportLines({ rates, memory }: Report): string[] {
  const p99 = (latenciesMs: readonly number[]): string => `${percentile(latenciesMs, 0.99).toFixed(0)} ms`;
  return [
    ...(rates
      ? [
          `Reports: ${withRange(rates.ours, 1)} pages a second, the bare loop ${withRange(rates.bare, 1)}; ${rates.faults} wrong.`,
        ]
      : []),
    ...(memory
      ? [
          `A long report: ${memory.report.pages} pages in ${(memory.report.elapsedMs / 1_000).toFixed(0)} s, ` +
            `${memory.report.faults} wrong. p99 of players: ${p99(memory.alone.latenciesMs)} before, ` +
            `${p99(memory.beside.latenciesMs)} meanwhile; failed: ${countsOf(memory.beside.failures) || 'none'}.`,
        ]
      : []),
  ];
}

/** Prints the results of a run as Markdown for docs/performance.md, with the bounds at the end. */
export function printReport(report: Report): void {
  const today = new Date().toISOString().slice(0, 10);
  const tables = [workerTable(report), boundTable(report)];
  const paragraphs = [
    `Made on ${today}, ${report.plan.rounds} rounds, median (least–most). ${report.machine.description}.`,
    ...reportLines(report),
    ...tables.filter((table) => table.length > 1).map((table) => markdownTable(table)),
    ...(report.results.length > 0 ? busyLines(report) : []),
  ];
  console.log(`\n${paragraphs.join('\n\n')}`);
}
