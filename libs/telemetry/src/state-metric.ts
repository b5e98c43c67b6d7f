import type { Metric, MetricValueWithName, Registry } from 'prom-client';

/** A value of a series, as a registry reads it; if it has no name, the metric's name applies. */
export type Reading = Readonly<MetricValueWithName<string>>;

export interface MetricFacts {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labelNames: readonly string[];
  readonly registry: Registry;
}

/**
 * A metric read from the worker's state at each scrape: commands do not update it, and objects that are gone
 * have no series.
 */
export class StateMetric {
  #read: () => readonly Reading[] = () => [];

  /** @throws {Error} if the registry already has a metric with this name */
  constructor({ registry, ...facts }: MetricFacts) {
    const get = () => ({ ...facts, values: this.#read() });
    // A registry uses only these members; prom-client itself registers such objects.
    registry.registerMetric({ ...facts, get } as unknown as Metric);
  }

  /** @param read called at each scrape; before the first call of `readBy` there are no series */
  readBy(read: () => readonly Reading[]): void {
    this.#read = read;
  }
}
