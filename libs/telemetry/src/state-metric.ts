import type { Metric, Registry } from 'prom-client';

/** One series as its source tells it now. */
export interface StateReading {
  /** By the names of the labels. Default: none. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

interface StateMetricFacts {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly labelNames: readonly string[];
  readonly registry: Registry;
}

/**
 * A metric that is read from the state of the worker whenever the registry is read. Nothing updates it in between, so
 * that it costs a command nothing, and what is gone has no series.
 */
export class StateMetric {
  readonly name: string;
  readonly help: string;
  readonly type: StateMetricFacts['type'];
  readonly labelNames: readonly string[];
  #read: () => readonly StateReading[] = () => [];

  /** @throws {Error} if the registry has a metric of this name */
  constructor({ name, help, type, labelNames, registry }: StateMetricFacts) {
    this.name = name;
    this.help = help;
    this.type = type;
    this.labelNames = labelNames;
    // A registry uses no more of a metric than this class has.
    registry.registerMetric(this as unknown as Metric);
  }

  /** @param read called at each reading of the registry; until then there are no series */
  readBy(read: () => readonly StateReading[]): void {
    this.#read = read;
  }

  /** For the registry. */
  get() {
    const values = this.#read().map(({ labels = {}, value }) => ({ labels, value }));
    return Promise.resolve({ name: this.name, help: this.help, type: this.type, aggregator: 'sum', values });
  }

  /** For the registry: there is nothing to forget. */
  reset(): void {}
}
