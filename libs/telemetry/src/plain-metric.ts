import type { Metric, Registry } from 'prom-client';

/** A number of a series, as a registry reads it. */
export interface Reading {
  /** Default: the name of the metric. */
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** The values under one set of labels. */
export interface Series {
  /** Its current numbers; `name` is that of the metric. */
  read(name: string, labels: Reading['labels']): Reading[];
}

/** The form that prom-client expects. */
interface MetricFacts {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** One or two. */
  readonly labelNames: readonly string[];
  readonly registry: Registry;
}

/**
 * A metric whose series are plain numbers until the registry is read. prom-client builds a string of the labels, and
 * objects, for every update: its own metrics would do, and cost 8 µs more in a cold process, 1.5 in a hot one (decision
 * 0008).
 *
 * There is one series for each set of labels: use labels with a closed set of values.
 */
export class PlainMetric<Kind extends Series> {
  readonly name: string;
  readonly help: string;
  readonly type: MetricFacts['type'];
  readonly labelNames: readonly string[];
  readonly #start: new () => Kind;
  readonly #series: { readonly labels: Reading['labels']; readonly series: Kind }[] = [];
  readonly #byFirst = new Map<string, Map<string, Kind>>();

  /**
   * @param start creates a series
   * @throws {Error} if the registry has a metric of this name
   */
  constructor(start: new () => Kind, { name, help, type, labelNames, registry }: MetricFacts) {
    this.name = name;
    this.help = help;
    this.type = type;
    this.labelNames = labelNames;
    this.#start = start;
    // A registry uses no more of a metric than this class has; prom-client itself registers such objects.
    registry.registerMetric(this as unknown as Metric);
  }

  /** The series with these labels, in the order of `labelNames`; it is created if there is none yet. */
  labels(first: string, second = ''): Kind {
    return this.#byFirst.get(first)?.get(second) ?? this.#begin(first, second);
  }

  /** Every series so far, with its labels. */
  get all(): readonly { readonly labels: Reading['labels']; readonly series: Kind }[] {
    return this.#series;
  }

  /** For the registry. */
  get() {
    const values = this.#series.flatMap(({ labels, series }) => series.read(this.name, labels));
    return Promise.resolve({ name: this.name, help: this.help, type: this.type, aggregator: 'sum', values });
  }

  /** For the registry: forgets all series. References to them are no longer read. */
  reset(): void {
    this.#series.length = 0;
    this.#byFirst.clear();
  }

  #begin(first: string, second: string): Kind {
    const series = new this.#start();
    const seconds = this.#byFirst.get(first) ?? new Map<string, Kind>();
    this.#byFirst.set(first, seconds.set(second, series));
    const values = [first, second];
    const labels = Object.fromEntries(this.labelNames.map((name, index) => [name, values[index] ?? '']));
    this.#series.push({ labels, series });
    return series;
  }
}

/** A series of a counter or gauge: its user sets the value. */
export class PlainNumber implements Series {
  value = 0;

  read(_: string, labels: Reading['labels']): Reading[] {
    return [{ labels, value: this.value }];
  }
}

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
