import { type Spread, spreadOf, withRange } from '../measure/statistics.ts';
import { LEAST_SHARE, rateShare } from '../reports/compare-rates.ts';
import { NPM_RUN_WORKER } from '../runs/starters.ts';
import { peakMemoryMb, type Ratio, ratiosOf } from './summary.ts';
import type { Report, Table } from './tables.ts';

/** What one figure of this worker is to be. */
interface Bound {
  readonly what: string;
  readonly most?: number;
  readonly least?: number;
  readonly unit?: string;
  /** `undefined` if it was not measured. */
  readonly measured: Spread | undefined;
}

const MOST_MEMORY_MB = 160;
const MOST_START_SECONDS = 1;

/** The most that a command may cost, for one of a peer. */
const MOST_CPU = [
  { load: 'atRate', kind: 'bare', name: 'the bare loop', most: 1 },
  { load: 'fullSpeed', kind: 'bare', name: 'the bare loop', most: 1 },
  { load: 'fullSpeed', kind: 'nest', name: 'Nest’s own transport', most: 0.7 },
] as const;

/** Each bound that something was measured for, and whether the median holds it. */
export function boundTable(report: Report): Table {
  const rows = boundsOf(report).flatMap(({ what, most, least, unit = '', measured }) => {
    if (measured === undefined) return [];
    const digits = unit === ' MB' ? 0 : 2;
    const bound = `at ${most === undefined ? 'least' : 'most'} ${(most ?? least)?.toFixed(digits)}${unit}`;
    const holds = measured.median <= (most ?? Infinity) && measured.median >= (least ?? -Infinity);
    return [[what, bound, `${withRange(measured, digits)}${unit}`, holds ? 'yes' : 'no']];
  });
  return [['what', 'bound', 'measured', 'holds'], ...rows];
}

function boundsOf({ plan, results, moderate, rates, starts }: Report): Bound[] {
  const ratios = ratiosOf(results);
  const ours = results.find(({ contestant }) => contestant.name === 'ours');
  const start = starts.find(({ name }) => name === NPM_RUN_WORKER);
  const rate = `${plan.perSecond}/s`;
  const memory = { most: MOST_MEMORY_MB, unit: ' MB' };
  return [
    ...cpuBounds(ratios, rate),
    {
      what: `peak memory at ${rate} alone`,
      ...memory,
      measured: moderate.length > 0 ? peakMemoryMb(moderate) : undefined,
    },
    { what: 'peak memory at full speed', ...memory, measured: ours && peakMemoryMb(ours.finishes) },
    {
      what: 'pages of a report a second against the bare loop',
      least: LEAST_SHARE,
      measured: rates && rateShare(rates),
    },
    {
      what: '`npm run worker` to the first reply',
      most: MOST_START_SECONDS,
      unit: ' s',
      measured: start && spreadOf(start.timesMs.map((ms) => ms / 1_000)),
    },
  ];
}

function cpuBounds(ratios: readonly Ratio[], rate: string): Bound[] {
  return MOST_CPU.flatMap(({ load, kind, name, most }) =>
    ['classic', 'quorum'].map((queueType) => ({
      what: `CPU of a command at ${load === 'atRate' ? rate : 'full speed'} against ${name}, ${queueType}`,
      most,
      measured: ratios.find((ratio) => ratio.name === `${kind}-${queueType}`)?.[load],
    })),
  );
}
