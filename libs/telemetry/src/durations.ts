import type { Reading, Series } from './plain-metric.ts';

/** The upper bounds of the buckets, in seconds. */
export const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600];

/** A series of a histogram of durations. */
export class Durations implements Series {
  /** One for each bound; a longer duration is counted in `#count` only. */
  readonly #counts = BOUNDS.map(() => 0);
  #count = 0;
  #sum = 0;

  observe(seconds: number): void {
    this.#count += 1;
    this.#sum += seconds;
    for (let bucket = 0; bucket < BOUNDS.length; bucket += 1) {
      if (seconds <= (BOUNDS[bucket] ?? 0)) {
        this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
        return;
      }
    }
  }

  read(name: string, labels: Reading['labels']): Reading[] {
    let upTo = 0;
    const buckets = BOUNDS.map((bound, bucket) => {
      upTo += this.#counts[bucket] ?? 0;
      return { metricName: `${name}_bucket`, labels: { le: bound, ...labels }, value: upTo };
    });
    return [
      ...buckets,
      { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: this.#count },
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: this.#count },
    ];
  }
}
