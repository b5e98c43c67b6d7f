import { Metrics } from '#telemetry';

/** What prom-client knows of a metric and does not type, or types otherwise. */
interface Registered {
  readonly name: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}

/** The labels that Prometheus gives every series of a target. */
const OF_THE_TARGET = ['instance', 'job'];

/** The metrics that a worker registers. */
export const registeredMetrics = () => new Metrics().registry.getMetricsAsArray() as unknown as Registered[];

/** The series that a worker serves, by name, each with its labels. */
export function workerSeries(): ReadonlyMap<string, readonly string[]> {
  return new Map(
    registeredMetrics().flatMap(({ name, type, labelNames }): [string, readonly string[]][] => {
      const labels = [...labelNames, ...OF_THE_TARGET];
      if (type !== 'histogram') return [[name, labels]];
      return [
        [`${name}_bucket`, [...labels, 'le']],
        [`${name}_sum`, labels],
        [`${name}_count`, labels],
      ];
    }),
  );
}

/**
 * The series of RabbitMQ's plugin for Prometheus that alerts and the dashboard ask for, with their labels. A real
 * RabbitMQ is held to them by test/extended/prometheus.spec.ts.
 */
export const BROKER_SERIES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['rabbitmq_alarms_memory_used_watermark', OF_THE_TARGET],
  ['rabbitmq_alarms_free_disk_space_watermark', OF_THE_TARGET],
  ...['messages', 'messages_ready', 'messages_unacked', 'consumers'].map((name): [string, string[]] => [
    `rabbitmq_detailed_queue_${name}`,
    ['queue', 'vhost', ...OF_THE_TARGET],
  ]),
]);

/** The series that a PromQL expression names: what is neither a function, a word of the language, a label nor a string. */
export function seriesIn(expression: string): readonly string[] {
  const bare = withoutStrings(expression)
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, '')
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, '');
  const words = [...bare.matchAll(/(?<!\w)[a-zA-Z_:][\w:]*\b(?!\s*\()/g)].map(([word]) => word);
  return words.filter((word) => !WORDS.has(word));
}

function labelsIn(expression: string): readonly string[] {
  const bare = withoutStrings(expression);
  const matchers = [...bare.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*""/g)].map(([, name = '']) => name);
  const groups = [...bare.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)];
  return [...matchers, ...groups.flatMap(([, names = '']) => names.match(/\w+/g) ?? [])];
}

const WORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'by', 'on', 'without', 'ignoring']);

function withoutStrings(expression: string): string {
  return expression.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
}

/** The series and labels that an expression names and neither a worker nor RabbitMQ has, nor a rule that records one. */
export function unknownIn(expression: string, recorded: readonly string[] = []): readonly string[] {
  const series = new Map([...workerSeries(), ...BROKER_SERIES]);
  const named = seriesIn(expression).filter((name) => !recorded.includes(name));
  const labels = new Set(named.flatMap((name) => series.get(name) ?? []));
  return [
    ...named.filter((name) => !series.has(name)),
    ...labelsIn(expression).filter((label) => !labels.has(label)),
  ];
}
