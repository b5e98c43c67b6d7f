import { read } from '../docs/markdown.ts';

export interface Target {
  readonly expr: string;
  readonly legendFormat: string;
}

interface Threshold {
  readonly color: string;
  readonly value: number | null;
}

/** How values are shown; Grafana's names. */
interface FieldDefaults {
  readonly unit?: string;
  readonly max?: number;
  readonly decimals?: number;
  /** Instead of a panel that has no data. */
  readonly noValue?: string;
  readonly thresholds?: { readonly steps: readonly Threshold[] };
  readonly mappings?: readonly { readonly options: Readonly<Record<string, { readonly text: string }>> }[];
  readonly color?: { readonly mode: string; readonly fixedColor?: string };
  readonly custom?: {
    readonly stacking?: { readonly mode: string };
    readonly scaleDistribution?: { readonly type: string };
  };
}

/** A panel that draws something, or the heading of a row, which has no targets. */
export interface Panel {
  readonly id: number;
  readonly type: 'row' | 'stat' | 'state-timeline' | 'timeseries';
  readonly title: string;
  readonly description: string;
  readonly targets: readonly Target[];
  readonly fieldConfig: {
    readonly defaults: FieldDefaults;
    readonly overrides: readonly {
      readonly matcher: { readonly options: string };
      readonly properties: readonly { readonly id: string; readonly value: unknown }[];
    }[];
  };
  readonly options?: { readonly textMode?: string };
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
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

/** Every expression of PromQL in it: of panels, annotations and variables. */
export function readQueries(): readonly string[] {
  const { annotations, templating } = readDashboard();
  const variables = templating.list.filter(({ type }) => type === 'query').map(({ query }) => query);
  return [
    ...readPanels().flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...annotations.list.map(({ expr }) => expr),
    ...variables.map((query) => /^label_values\(([^,]+), \w+\)$/.exec(query)?.[1] ?? query),
  ];
}
