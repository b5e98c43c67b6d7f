import { Metrics } from '#telemetry';

/** Fields of a metric of prom-client that its types lack or declare differently. */
interface Registered {
  readonly name: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}

/** Labels that Prometheus adds to every series of a target. */
const OF_THE_TARGET = ['instance', 'job'];

/** The metrics that a worker registers. */
export const registeredMetrics = () => new Metrics().registry.getMetricsAsArray() as unknown as Registered[];

/** The series that a worker exports, with their labels. */
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
 * The series of RabbitMQ's Prometheus plugin that alerts and the dashboard query, with their labels.
 * test/extended/prometheus.spec.ts compares them with a real RabbitMQ.
 */
export const BROKER_SERIES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['rabbitmq_alarms_memory_used_watermark', OF_THE_TARGET],
  ['rabbitmq_alarms_free_disk_space_watermark', OF_THE_TARGET],
  ...['messages', 'messages_ready', 'messages_unacked', 'consumers'].map((name): [string, string[]] => [
    `rabbitmq_detailed_queue_${name}`,
    ['queue', 'vhost', ...OF_THE_TARGET],
  ]),
]);

/** The series in a PromQL expression, without functions, keywords, labels and strings. */
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

/** Series and labels in an expression that no worker, RabbitMQ or recording rule exports. */
export function unknownIn(expression: string, recorded: readonly string[] = []): readonly string[] {
  const series = new Map([...workerSeries(), ...BROKER_SERIES]);
  const named = seriesIn(expression).filter((name) => !recorded.includes(name));
  const labels = new Set(named.flatMap((name) => series.get(name) ?? []));
  return [
    ...named.filter((name) => !series.has(name)),
    ...labelsIn(expression).filter((label) => !labels.has(label)),
  ];
}
