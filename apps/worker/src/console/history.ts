import { ERROR_CODES, type ErrorCategory, type ErrorCode } from '#contracts';
import { DURATION_BOUNDS, type Metrics } from '#telemetry';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];
/** Failures that callers or players caused, and not the service or the platform. */
const REFUSED: ReadonlySet<ErrorCategory> = new Set(['invalid', 'rejected']);

export const STEP_MS = 5_000;
const MINUTE_MS = 60_000;
const STEPS_OF_MINUTE = MINUTE_MS / STEP_MS;
const MINUTES = 60;
/** A type fails as a whole from this share on, once so many have failed in a row of steps. */
const WHOLE_SHARE = 0.9;
const LEAST_FAILED = 5;

/** The counters of a worker at a moment. */
interface Counts {
  readonly atMs: number;
  /** Final replies, by `type outcome`. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** By type: for each of `DURATION_BOUNDS`, the commands that took no longer, and at the end all of them. */
  readonly durations: ReadonlyMap<string, Float64Array>;
}

/** The commands of one type between two moments. */
interface Figures {
  readonly answered: number;
  /** Failures that callers and players did not cause. */
  readonly failed: number;
  /** Failures that they caused. */
  readonly refused: number;
  /** Failures by code, the most frequent first. */
  readonly codes: readonly (readonly [code: ErrorCode, count: number])[];
  /** Answered, a second. */
  readonly perSecond: number;
  /** Estimated within a bucket of the histogram; null if there was no command. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

/** A run of failures of one type: it ends with a minute without one. */
interface Run {
  readonly sinceMs: number;
  readonly lastMs: number;
  readonly failed: number;
}

/** The recent outcomes of one type of command. */
export interface TypeHistory extends Figures {
  readonly type: string;
  /** Since when some have failed by no fault of their callers, milliseconds since the epoch. */
  readonly failingSinceMs: number | undefined;
  /** Since when nearly all have. */
  readonly deadSinceMs: number | undefined;
  /** Answered and failed in each minute of the last hour, the oldest first. */
  readonly hour: readonly (readonly [answered: number, failed: number])[];
}

/** What is kept of one type beside the counters. */
interface Recent {
  readonly hour: (readonly [answered: number, failed: number])[];
  /** While some fail, and while nearly all do. */
  failing: Run | undefined;
  dead: Run | undefined;
}

/** The last hour of a worker, made of the differences between its counters. */
export class History {
  readonly #types: ReadonlyMap<string, Recent>;
  /** The first is a minute old. */
  readonly #counts: Counts[] = [];
  #minuteMs = 0;

  /** @param types those that are shown, in their order */
  constructor(types: readonly string[]) {
    this.#types = new Map(types.map((type) => [type, { hour: [], failing: undefined, dead: undefined }]));
  }

  /** How long the last minute is: less after the start. */
  get seconds(): number {
    return ((this.#counts.at(-1)?.atMs ?? 0) - (this.#counts[0]?.atMs ?? 0)) / 1000;
  }

  get types(): readonly TypeHistory[] {
    const [before, after] = [this.#counts.at(0), this.#counts.at(-1)];
    if (!before || !after) return [];
    return [...this.#types].map(([type, { hour, failing, dead }]) => ({
      type,
      ...figuresBetween(before, after, type),
      failingSinceMs: failing?.sinceMs,
      deadSinceMs: dead && dead.failed >= LEAST_FAILED ? dead.sinceMs : undefined,
      hour,
    }));
  }

  /** Adds a step, from the counters before to those that the metrics have now. */
  add(metrics: Pick<Metrics, 'commands' | 'commandDuration'>, atMs: number): void {
    const counts: Counts = {
      atMs,
      outcomes: new Map(
        metrics.commands.all.map(({ labels, series }) => [
          `${labels['type']} ${labels['outcome']}`,
          series.value,
        ]),
      ),
      durations: new Map(
        metrics.commandDuration.all.map(({ labels, series }) => [`${labels['type']}`, series.cumulative()]),
      ),
    };
    const before = this.#counts.at(-1);
    this.#counts.push(counts);
    if (this.#counts.length > STEPS_OF_MINUTE + 1) this.#counts.shift();
    if (!before) return;
    const minuteMs = atMs - (atMs % MINUTE_MS);
    for (const [type, recent] of this.#types) {
      const { answered, failed, refused } = figuresBetween(before, counts, type);
      const last = minuteMs === this.#minuteMs ? recent.hour.pop() : undefined;
      recent.hour.push([answered + (last?.[0] ?? 0), failed + (last?.[1] ?? 0)]);
      if (recent.hour.length > MINUTES) recent.hour.shift();
      const step = { sinceMs: before.atMs, lastMs: atMs, failed };
      // Also a step without a command, which says nothing else.
      const isWhole = failed >= WHOLE_SHARE * (answered - refused);
      recent.failing = continued(recent.failing, step, failed > 0);
      recent.dead = continued(isWhole ? recent.dead : undefined, step, isWhole && failed > 0);
    }
    this.#minuteMs = minuteMs;
  }
}

/** A run continues with a step that belongs to it, and ends with a minute without one. */
function continued(run: Run | undefined, step: Run, belongs: boolean): Run | undefined {
  const current = run && step.lastMs - run.lastMs <= MINUTE_MS ? run : undefined;
  if (!belongs) return current;
  return current ? { ...step, sinceMs: current.sinceMs, failed: current.failed + step.failed } : step;
}

function figuresBetween(before: Counts, after: Counts, type: string): Figures {
  const grown = (outcome: string): number =>
    (after.outcomes.get(`${type} ${outcome}`) ?? 0) - (before.outcomes.get(`${type} ${outcome}`) ?? 0);
  const failures = CODES.map((code) => [code, grown(code)] as const).filter(([, count]) => count > 0);
  const codes = failures.filter(([code]) => !REFUSED.has(ERROR_CODES[code].category));
  const answered = grown('success') + sum(failures);
  const failed = sum(codes);
  const then = before.durations.get(type);
  const durations = after.durations.get(type)?.map((count, step) => count - (then?.[step] ?? 0));
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

/** Between two bounds, durations are taken to be spread evenly; beyond the last bound it is that bound. */
function quantileMs(durations: Float64Array | undefined, quantile: number): number | null {
  const rank = quantile * (durations?.at(-1) ?? 0);
  if (durations === undefined || rank === 0) return null;
  let [lower, below] = [0, 0];
  for (const [step, upTo] of durations.entries()) {
    const bound = DURATION_BOUNDS[step];
    if (bound === undefined) break;
    if (upTo >= rank) return 1000 * (lower + ((bound - lower) * (rank - below)) / (upTo - below));
    [lower, below] = [bound, upTo];
  }
  return 1000 * lower;
}

function sum(counts: readonly (readonly [unknown, number])[]): number {
  return counts.reduce((total, [, count]) => total + count, 0);
}
