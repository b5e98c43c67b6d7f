import type { Metric, Registry } from 'prom-client';

/** A number of a series, in the form in which a registry reads it. */
export interface Reading {
  /** Default: the name of the metric. */
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** What was counted under the same labels. */
export interface Series {
  /** Its numbers now; `name` is that of the metric. */
  read(name: string, labels: Reading['labels']): Reading[];
}

/** As prom-client takes it. */
interface MetricFacts {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** One or two. */
  readonly labelNames: readonly string[];
  readonly registry: Registry;
}

/**
 * A metric whose series are plain numbers until somebody reads the registry. With those of prom-client whatever is
 * counted makes a text of its labels, and objects on the way, which costs ten times as much.
 *
 * As many series are kept as there are different labels: let them be of a closed set.
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
   * @param start what a series is
   * @throws {Error} where the registry has a metric of this name
   */
  constructor(start: new () => Kind, { name, help, type, labelNames, registry }: MetricFacts) {
    this.name = name;
    this.help = help;
    this.type = type;
    this.labelNames = labelNames;
    this.#start = start;
    // A registry needs no more of a metric than what this class has; prom-client itself puts such objects into one.
    registry.registerMetric(this as unknown as Metric);
  }

  /** The series with these labels, in the order of `labelNames`; it begins here where there is none yet. */
  of(first: string, second = ''): Kind {
    return this.#byFirst.get(first)?.get(second) ?? this.#begin(first, second);
  }

  /** For the registry. */
  get() {
    const values = this.#series.flatMap(({ labels, series }) => series.read(this.name, labels));
    return Promise.resolve({ name: this.name, help: this.help, type: this.type, aggregator: 'sum', values });
  }

  /** For the registry: forgets all series. Those that somebody keeps count no more. */
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
