import { read } from '../docs/markdown.ts';

export interface Target {
  readonly expr: string;
  readonly legendFormat: string;
}

/** A panel that draws something, or the heading of a row, which has no targets. */
export interface Panel {
  readonly id: number;
  readonly type: 'row' | 'stat' | 'state-timeline' | 'timeseries';
  readonly title: string;
  readonly description: string;
  readonly targets: readonly Target[];
  readonly gridPos: Readonly<Record<'h' | 'w' | 'x' | 'y', number>>;
}

interface Dashboard {
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
  readonly templating: { readonly list: readonly { readonly type: string; readonly query: string }[] };
  readonly panels: readonly Panel[];
}

export function readDashboard(): Dashboard {
  return JSON.parse(read('deploy/grafana/dashboards/poker-bridge.json')) as Dashboard;
}

export function readPanels(): readonly Panel[] {
  return readDashboard().panels.filter(({ type }) => type !== 'row');
}

export function readQueries(): readonly string[] {
  const { annotations, templating } = readDashboard();
  const variables = templating.list.filter(({ type }) => type === 'query').map(({ query }) => query);
  return [
    ...readPanels().flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...annotations.list.map(({ expr }) => expr),
    ...variables.map((query) => /^label_values\(([^,]+), \w+\)$/.exec(query)?.[1] ?? query),
  ];
}
