import type { BesideReports } from './apart/apart.ts';
import type { Finish, Plan, Result, Sample } from './compare.ts';
import { type Machine, MB_IN_MIB, median, withRange } from './measure.ts';
import type { Rates } from './reports/compare-rates.ts';
import type { ReportMemory } from './reports/memory.ts';
import type { Scaling } from './scaling.ts';
import type { Starts } from './time-starts.ts';

const MOST_MEMORY_MB = 150;
const MOST_ABOVE_IDLE_MB = 60;
/** The minimum report pages a second, relative to the bare loop. */
const LEAST_PAGES = 0.8;
const MOST_START_SECONDS = { npm: 0.75, image: 0.5 };
/** The maximum CPU time of a command with Redis, relative to a command without it. */
const MOST_WITH_REDIS = 1.2;
/** The maximum added to the platform's own latency, and to the p99 of the bare loop. */
const MOST_ADDED_MS = { p50: 1, p99: 3 };
/** The maximum p99 of players during reports, relative to their p99 alone. */
const MOST_BESIDE = { long: 1.5, large: 2 };
/** The minimum throughput of several workers, relative to as many times that of one. */
const LEAST_SCALING = 0.95;
/** For a bound that does not hold. docs/performance.md has the reasons. */
export const NO = '[no](#why-not)';

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
  /** The latency of the platform itself, one value for each round; empty if it was not measured. */
  readonly platformMs: readonly number[];
  /** `undefined` if no players were measured during reports. */
  readonly beside: BesideReports | undefined;
  /** `undefined` if several workers were not measured. */
  readonly scaling: Scaling | undefined;
  /** `undefined` if no start was timed. */
  readonly starts: Starts | undefined;
}

/** The first row is the header. */
export type Table = readonly (readonly string[])[];

/** CPU time of a command at the rate, and at full speed. */
export const CPU = {
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
    return [[what, bound, shown, holds ? 'yes' : NO]];
  });
  return [['what', 'bound', 'measured', 'holds'], ...rows];
}

function boundsOf(report: Report): Bound[] {
  const { plan, results, moderate, rates, memory, platformMs, beside, scaling, starts } = report;
  const rate = `${plan.perSecond}/s`;
  const peak = { most: MOST_MEMORY_MB, unit: ' MB' };
  const others = results.filter(({ contestant: { name } }) => name !== 'ours' && name !== 'redis');
  const [ours, bare] = [samplesOf('ours', results), samplesOf('bare', results)];
  const loads = ['rate', 'full'] as const;
  const nameOf = { rate: `at ${rate}`, full: 'at full speed' };
  return [
    ...loads.flatMap((load) =>
      others.map(({ contestant: { name, label, hasRedis, most } }) => ({
        what: `CPU ${nameOf[load]} against ${label}`,
        most: most?.[load],
        measured: ratios(hasRedis ? 'redis' : 'ours', name, results, CPU[load]),
      })),
    ),
    ...loads.map((load) => ({
      what: `CPU ${nameOf[load]} with Redis, against without`,
      most: MOST_WITH_REDIS,
      measured: ratios('redis', 'ours', results, CPU[load]),
    })),
    {
      what: `added to the platform’s latency at ${rate}, p50`,
      most: MOST_ADDED_MS.p50,
      unit: ' ms',
      measured: ours.flatMap(({ p50Ms }, round) => less(p50Ms, platformMs[round])),
    },
    {
      what: `p99 at ${rate} beyond that of the bare loop`,
      most: MOST_ADDED_MS.p99,
      unit: ' ms',
      measured: ours.flatMap(({ p99Ms }, round) => less(p99Ms, bare[round]?.p99Ms)),
    },
    {
      what: 'p99 of players during four reports, against alone',
      most: MOST_BESIDE.long,
      measured: beside?.long ?? [],
    },
    {
      what: 'p99 of players during pages of 16 MiB, against alone',
      most: MOST_BESIDE.large,
      measured: beside?.large ?? [],
    },
    { what: `peak memory at ${rate} alone`, ...peak, measured: peakMemoryMb(moderate) },
    {
      what: 'peak memory at full speed',
      ...peak,
      measured: peakMemoryMb(resultOf('ours', results)?.finishes ?? []),
    },
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
      most: MOST_START_SECONDS.npm,
      unit: ' s',
      measured: starts?.npmMs.map((ms) => ms / 1_000) ?? [],
    },
    {
      what: 'the command of the image to readiness',
      most: MOST_START_SECONDS.image,
      unit: ' s',
      measured: starts?.imageMs.map((ms) => ms / 1_000) ?? [],
    },
    ...[...(scaling ?? [])].slice(1).map(([workers, perSecond]) => ({
      what: `commands a second of ${workers} workers, against ${workers} times one`,
      least: LEAST_SCALING,
      measured: perSecond.map((each, round) => each / workers / (scaling?.get(1)?.[round] ?? Number.NaN)),
    })),
  ];
}

function less(value: number, by: number | undefined): number[] {
  return by === undefined ? [] : [value - by];
}

function resultOf(name: string, results: readonly Result[]): Result | undefined {
  return results.find(({ contestant }) => contestant.name === name);
}

function samplesOf(name: string, results: readonly Result[]): readonly Sample[] {
  return resultOf(name, results)?.samples ?? [];
}

/**
 * Returns the values of one worker relative to those of another one, round by round, because other activity
 * of the machine affects both.
 */
function ratios(one: string, other: string, results: readonly Result[], figure: keyof Sample): number[] {
  const others = samplesOf(other, results);
  return samplesOf(one, results).flatMap((sample, round) => {
    const theirs = others[round];
    return theirs === undefined ? [] : [sample[figure] / theirs[figure]];
  });
}

export function peakMemoryMb(finishes: readonly Finish[]): number[] {
  return finishes.map(({ peakMemoryMib }) => peakMemoryMib * MB_IN_MIB);
}
