import { type Panel, readDashboard, type Target } from '../deploy/dashboard-file.ts';
import type { PrometheusProcess, Range, RangedSeries } from '../support/prometheus-process.ts';

/** As Grafana computes it for a Prometheus that scrapes each second: four times the interval. */
const RATE_INTERVAL = '4s';

/** A line of a panel, or the value of a stat: one value each second, null where there is none. */
export interface DrawnSeries {
  readonly legend: string;
  readonly values: readonly (number | null)[];
}

/** What one query of a panel has found. */
interface DrawnTarget {
  readonly expr: string;
  readonly series: readonly DrawnSeries[];
}

/** A panel with the values that it shows. */
export interface DrawnPanel extends Omit<Panel, 'targets'> {
  readonly targets: readonly DrawnTarget[];
}

/** The dashboard over a range of time, its rows included. */
export interface DrawnDashboard {
  readonly panels: readonly DrawnPanel[];
  /** Seconds since the start. */
  readonly seconds: readonly number[];
  /** The seconds at which an annotation says that something changed. */
  readonly marks: readonly number[];
}

/** Asks every query of the dashboard, for all workers. */
export async function drawnDashboard(prometheus: PrometheusProcess, range: Range): Promise<DrawnDashboard> {
  const whole = { start: Math.floor(range.start), end: Math.ceil(range.end) };
  const seconds = Array.from({ length: whole.end - whole.start + 1 }, (_, second) => second);
  const { panels, annotations } = readDashboard();
  const ask = async ({ expr, legendFormat }: Target): Promise<DrawnTarget> => {
    const found = await prometheus.queryRange(queryOf(expr), whole);
    return {
      expr,
      series: found.map((series) => ({
        legend: legendOf(legendFormat, series),
        values: valuesOf(series, whole, seconds),
      })),
    };
  };
  const drawn: DrawnPanel[] = [];
  for (const panel of panels) {
    drawn.push({ ...panel, targets: await Promise.all((panel.targets ?? []).map(ask)) });
  }
  const marks = new Set<number>();
  for (const { expr } of annotations.list) {
    const { series } = await ask({ expr: expr.replace('[1m]', `[${RATE_INTERVAL}]`), legendFormat: '' });
    for (const { values } of series) {
      for (const second of seconds)
        if (values[second] !== null && (values[second - 1] ?? null) === null) marks.add(second);
    }
  }
  return { panels: drawn, seconds, marks: [...marks].toSorted((a, b) => a - b) };
}

function queryOf(expression: string): string {
  return expression
    .replaceAll('$__rate_interval', RATE_INTERVAL)
    .replaceAll(/\$(?:instance|operator)/g, '.*');
}

function legendOf(format: string, { metric }: RangedSeries): string {
  return format.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? '');
}

function valuesOf(
  { values }: RangedSeries,
  { start }: Range,
  seconds: readonly number[],
): readonly (number | null)[] {
  const bySecond = new Map(values.map(([at, value]) => [Math.round(at - start), Number(value)]));
  return seconds.map((second) => {
    const value = bySecond.get(second);
    return value !== undefined && Number.isFinite(value) ? value : null;
  });
}
