import { DURATION_STEPS, type Metrics } from '#telemetry';

/** What the metrics had counted of one type of command at a moment. */
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

/** What happened between two moments to the commands of one type. */
export interface Figures {
  readonly answered: number;
  readonly failed: number;
  /** Answered, a second. */
  readonly perSecond: number;
  readonly failedPerSecond: number;
  /** Estimated, to within a fifth; null if there was no command. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
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
    add(countsOf(labels['type']).outcomes, String(labels['outcome']), series.value);
  for (const { labels, series } of commandDuration.all)
    countsOf(labels['type']).durations = series.cumulative();
  return { atMs, types };
}

export function figuresBetween(before: Counts, after: Counts, type: string): Figures {
  const seconds = Math.max(1, after.atMs - before.atMs) / 1000;
  const outcomes = outcomesBetween(before, after, type);
  const answered = [...outcomes.values()].reduce((sum, count) => sum + count, 0);
  const failed = answered - (outcomes.get('success') ?? 0);
  const [now, then] = [after.types.get(type)?.durations, before.types.get(type)?.durations];
  const durations = now?.map((count, step) => count - (then?.[step] ?? 0));
  return {
    answered,
    failed,
    perSecond: answered / seconds,
    failedPerSecond: failed / seconds,
    p50Ms: quantileMs(durations, 0.5),
    p95Ms: quantileMs(durations, 0.95),
    p99Ms: quantileMs(durations, 0.99),
  };
}

/** How many commands of a type were answered with each outcome. */
export function outcomesBetween(before: Counts, after: Counts, type: string): Map<string, number> {
  const changes = difference(after.types.get(type)?.outcomes, before.types.get(type)?.outcomes);
  return new Map(changes.entries().filter(([, count]) => count > 0));
}

function difference<Key>(
  after: ReadonlyMap<Key, number> = new Map(),
  before?: ReadonlyMap<Key, number>,
): Map<Key, number> {
  return new Map(after.entries().map(([key, value]) => [key, value - (before?.get(key) ?? 0)]));
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

function add<Key>(counts: Map<Key, number>, key: Key, value: number): void {
  counts.set(key, (counts.get(key) ?? 0) + value);
}
