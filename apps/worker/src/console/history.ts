import { type CommandType, ERROR_CODES, type ErrorCategory, type ErrorCode } from '#contracts';
import { DURATION_BOUNDS, type Metrics } from '#telemetry';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];
const REFUSED: ReadonlySet<ErrorCategory> = new Set(['invalid', 'rejected']);

export const STEP_MS = 5_000;
const MINUTE_MS = 60_000;
const STEPS_OF_MINUTE = MINUTE_MS / STEP_MS;
const MINUTES = 60;
/**
 * A type counts as dead if at least this share fails, and at least `LEAST_FAILED` have failed in consecutive
 * steps.
 */
const WHOLE_SHARE = 0.9;
const LEAST_FAILED = 5;

/** A run of failures. It ends after a minute without a failure. */
interface Run {
  readonly sinceMs: number;
  readonly lastMs: number;
  readonly failed: number;
}

/** The recent outcomes of one type of command. */
export type TypeFigures = NonNullable<TypeHistory['figures']>;

/** The last hour of one command type, computed from differences between its counters. */
export class TypeHistory {
  /** Counters of the last minute; the first entry is a minute old. */
  readonly #counts: Counts[] = [];
  readonly #hour: ReturnType<typeof minuteBetween>[] = [];
  #minuteStart: Counts | undefined;
  /**
   * The current runs of failures that callers did not cause: `#failing` while some commands fail, `#dead`
   * while nearly all do.
   */
  #failing: Run | undefined;
  #dead: Run | undefined;

  constructor(private readonly type: CommandType) {}

  /**
   * The last minute, the last hour, and since when some or nearly all commands fail. Undefined before the
   * first step.
   */
  get figures() {
    const [before, after] = [this.#counts[0], this.#counts.at(-1)];
    if (!before || !after) return undefined;
    return {
      type: this.type,
      /** Length of the last minute in seconds; shorter just after startup. */
      seconds: (after.atMs - before.atMs) / 1000,
      ...figuresBetween(before, after),
      failingSinceMs: this.#failing?.sinceMs,
      deadSinceMs: this.#dead && this.#dead.failed >= LEAST_FAILED ? this.#dead.sinceMs : undefined,
      /** Each minute, the oldest first. */
      hour: this.#hour,
    };
  }

  /** Adds a step from the previous counters to the current ones. */
  add(metrics: Metrics, atMs: number): void {
    const before = this.#counts.at(-1);
    const counts = countsOf(metrics, this.type, atMs);
    this.#counts.push(counts);
    if (this.#counts.length > STEPS_OF_MINUTE + 1) this.#counts.shift();
    if (!before) return;
    const { answered, failed, refused } = figuresBetween(before, counts);
    const isSameMinute = Math.floor(atMs / MINUTE_MS) === Math.floor(before.atMs / MINUTE_MS);
    if (isSameMinute) this.#hour.pop();
    const minuteStart = (isSameMinute ? this.#minuteStart : undefined) ?? before;
    this.#minuteStart = minuteStart;
    this.#hour.push(minuteBetween(minuteStart, counts));
    if (this.#hour.length > MINUTES) this.#hour.shift();
    const step = { sinceMs: before.atMs, lastMs: atMs, failed };
    // True also for a step without commands, so that it does not end the run.
    const isWhole = failed >= WHOLE_SHARE * (answered - refused);
    this.#failing = continued(this.#failing, step, failed > 0);
    this.#dead = continued(isWhole ? this.#dead : undefined, step, isWhole && failed > 0);
  }
}

/** Extends the run by a step that belongs to it, or ends the run after a minute without such a step. */
function continued(run: Run | undefined, step: Run, belongs: boolean): Run | undefined {
  const current = run && step.lastMs - run.lastMs <= MINUTE_MS ? run : undefined;
  if (!belongs) return current;
  return current ? { ...step, sinceMs: current.sinceMs, failed: current.failed + step.failed } : step;
}

type Counts = ReturnType<typeof countsOf>;

function countsOf(metrics: Metrics, type: CommandType, atMs: number) {
  const { commands, commandDuration, platformRequestDuration } = metrics;
  return {
    atMs,
    succeeded: commands.labels(type, 'success').value,
    failures: CODES.map((code) => commands.labels(type, code).value),
    /** Cumulative counts of commands for each of `DURATION_BOUNDS`, then the total. */
    durations: cumulativeOf(commandDuration, 'type', type),
    /** Cumulative counts of calls to the platform, likewise. */
    platformDurations: cumulativeOf(platformRequestDuration, 'operation', type),
  };
}

/**
 * Cumulative counts of a histogram for each of `DURATION_BOUNDS`, then the total; summed over its other
 * labels.
 */
function cumulativeOf(metric: Metrics['commandDuration'], label: string, value: string): readonly number[] {
  const series = metric.all.filter(({ labels }) => labels[label] === value);
  const counts = series.map((each) => each.series.cumulative());
  return [...DURATION_BOUNDS, Infinity].map((_, index) => sumOf(counts, (each) => each[index] ?? 0));
}

function figuresBetween(before: Counts, after: Counts) {
  const failures = CODES.map(
    (code, index) => [code, (after.failures[index] ?? 0) - (before.failures[index] ?? 0)] as const,
  );
  const codes = failures.filter(([code, count]) => count > 0 && !isRefused(code));
  const failed = sumOf(codes, ([, count]) => count);
  const refused = sumOf(failures, ([, count]) => count) - failed;
  const answered = after.succeeded - before.succeeded + failed + refused;
  return {
    answered,
    /** `failed`: failures that callers and players did not cause. `refused`: failures that they caused. */
    failed,
    refused,
    /** The `failed` commands by code, the most frequent first. */
    codes: codes.toSorted(([, a], [, b]) => b - a),
    perSecond: (answered * 1000) / Math.max(1, after.atMs - before.atMs),
    p50Ms: quantileMs(before.durations, after.durations, 0.5),
    p95Ms: quantileMs(before.durations, after.durations, 0.95),
    platformP95Ms: quantileMs(before.platformDurations, after.platformDurations, 0.95),
  };
}

/** One minute of the plot. `causes` counts the failures by the category of their error code. */
function minuteBetween(before: Counts, after: Counts) {
  const { answered, codes, p95Ms, platformP95Ms } = figuresBetween(before, after);
  const causes: Partial<Record<ErrorCategory, number>> = {};
  for (const [code, count] of codes) {
    const { category } = ERROR_CODES[code];
    causes[category] = (causes[category] ?? 0) + count;
  }
  return { atMs: after.atMs, answered, causes, p95Ms, platformP95Ms };
}

/** True if a failure was caused by the caller or the player, not by the service or the platform. */
export function isRefused(code: ErrorCode): boolean {
  return REFUSED.has(ERROR_CODES[code].category);
}

export function sumOf<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}

/**
 * Estimates a quantile in milliseconds by linear interpolation within a bucket. Returns null if the histogram
 * did not change.
 */
function quantileMs(before: readonly number[], after: readonly number[], quantile: number): number | null {
  const durations = after.map((count, step) => count - (before[step] ?? 0));
  const rank = quantile * (durations.at(-1) ?? 0);
  if (rank === 0) return null;
  const step = durations.findIndex((upTo) => upTo >= rank);
  const [below = 0, upTo = rank] = [durations[step - 1], durations[step]];
  const [lower = 0, upper = lower] = [DURATION_BOUNDS[step - 1], DURATION_BOUNDS[step]];
  return Math.round(1000 * (lower + ((upper - lower) * (rank - below)) / (upTo - below)));
}
