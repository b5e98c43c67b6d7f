import { ERROR_CODES, type ErrorCategory, type ErrorCode } from '#contracts';
import { DURATION_STEPS, type Metrics } from '#telemetry';

/** Failures that callers or players caused, and not the service or the platform. */
const REFUSED: ReadonlySet<ErrorCategory> = new Set(['invalid', 'rejected']);

/** The counters of one type of command at a moment. */
interface TypeCounts {
  /** Final replies, by outcome. */
  readonly outcomes: Map<string, number>;
  /** For each of `DURATION_STEPS`, the commands that took no longer; undefined if there was none. */
  durations: Float64Array | undefined;
}

/** The counters of all types at a moment. */
export interface Counts {
  readonly atMs: number;
  readonly types: ReadonlyMap<string, TypeCounts>;
}

/** The commands of one type between two moments. */
export interface Figures {
  readonly answered: number;
  /** By no fault of their callers. */
  readonly failed: number;
  /** For what callers or players did wrong. */
  readonly refused: number;
  /** Failures by code, the most frequent first. */
  readonly codes: readonly (readonly [code: ErrorCode, count: number])[];
  /** Answered, a second. */
  readonly perSecond: number;
  /** Estimated, to within a fifth; null if there was no command. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

/** Reads the counters that the worker keeps for its metrics. */
export function readCounts(
  { commands, commandDuration }: Pick<Metrics, 'commands' | 'commandDuration'>,
  atMs: number,
): Counts {
  const types = new Map<string, TypeCounts>();
  const countsOf = (type: string | number | undefined): TypeCounts => {
    const counts = types.get(String(type)) ?? { outcomes: new Map(), durations: undefined };
    types.set(String(type), counts);
    return counts;
  };
  for (const { labels, series } of commands.all)
    countsOf(labels['type']).outcomes.set(String(labels['outcome']), series.value);
  for (const { labels, series } of commandDuration.all)
    countsOf(labels['type']).durations = series.cumulative();
  return { atMs, types };
}

export function figuresBetween(before: Counts, after: Counts, type: string): Figures {
  const [now, then] = [after.types.get(type), before.types.get(type)];
  const outcomes = [...(now?.outcomes ?? [])].map(
    ([outcome, count]) => [outcome, count - (then?.outcomes.get(outcome) ?? 0)] as const,
  );
  const failures = outcomes.filter(
    (outcome): outcome is readonly [ErrorCode, number] => outcome[0] in ERROR_CODES && outcome[1] > 0,
  );
  const codes = failures.filter(([code]) => !REFUSED.has(ERROR_CODES[code].category));
  const answered = sum(outcomes);
  const failed = sum(codes);
  const durations = now?.durations?.map((count, step) => count - (then?.durations?.[step] ?? 0));
  return {
    answered,
    failed,
    refused: sum(failures) - failed,
    codes: codes.toSorted(([, a], [, b]) => b - a),
    perSecond: (answered * 1000) / Math.max(1, after.atMs - before.atMs),
    p50Ms: quantileMs(durations, 0.5),
    p95Ms: quantileMs(durations, 0.95),
  };
}

/** Between two steps, durations are taken to be spread evenly; beyond the last bound it is that bound. */
function quantileMs(durations: Float64Array | undefined, quantile: number): number | null {
  const rank = quantile * (durations?.at(-1) ?? 0);
  if (durations === undefined || rank === 0) return null;
  let [lower, below] = [0, 0];
  for (const [step, upTo] of durations.entries()) {
    const bound = DURATION_STEPS[step] ?? Infinity;
    if (bound === Infinity) break;
    if (upTo >= rank) return 1000 * (lower + ((bound - lower) * (rank - below)) / (upTo - below));
    [lower, below] = [bound, upTo];
  }
  return 1000 * lower;
}

function sum(counts: readonly (readonly [unknown, number])[]): number {
  return counts.reduce((total, [, count]) => total + count, 0);
}
