import type { Reading, Series } from './plain-metric.ts';

/** The upper bounds of the buckets, in seconds. */
export const BOUNDS = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.35, 0.5, 0.75, 1, 1.5, 2.5, 3.5, 5, 7.5, 10, 15, 30, 60,
  300, 600,
];
/** A step is at most so many times the one before, so that a percentile is known to within that much. */
const FACTOR = 1.2;
/** The upper bounds of what is counted, in seconds: those of the buckets, steps between them, and infinity. */
export const DURATION_STEPS: Readonly<Float64Array> = Float64Array.from([
  ...BOUNDS.flatMap((bound, index) => stepsUpTo(bound, BOUNDS[index - 1])),
  Infinity,
]);
const BUCKETS = BOUNDS.map((bound) => [bound, DURATION_STEPS.indexOf(bound)] as const);

/** A series of a histogram of durations. It counts in finer steps than its buckets, which each scrape would pay for. */
export class Durations implements Series {
  readonly #counts = new Float64Array(DURATION_STEPS.length);
  #sum = 0;

  observe(seconds: number): void {
    this.#sum += seconds;
    let [from, to] = [0, DURATION_STEPS.length - 1];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (seconds <= (DURATION_STEPS[middle] ?? 0)) to = middle;
      else from = middle + 1;
    }
    this.#counts[from] = (this.#counts[from] ?? 0) + 1;
  }

  /** For each of `DURATION_STEPS`: how many durations were no longer. */
  cumulative(): Float64Array {
    let sum = 0;
    return this.#counts.map((count) => (sum += count));
  }

  read(name: string, labels: Reading['labels']): Reading[] {
    const upTo = this.cumulative();
    const count = upTo.at(-1) ?? 0;
    const buckets = BUCKETS.map(([le, step]) => ({
      metricName: `${name}_bucket`,
      labels: { le, ...labels },
      value: upTo[step] ?? 0,
    }));
    return [
      ...buckets,
      { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}

/** The steps between two bounds, the upper one included; a single one up to the first bound. */
function stepsUpTo(bound: number, before = bound): number[] {
  const steps = Math.max(1, Math.ceil(Math.log(bound / before) / Math.log(FACTOR)));
  const between = Array.from(
    { length: steps - 1 },
    (_, step) => before * (bound / before) ** ((step + 1) / steps),
  );
  return [...between, bound];
}
