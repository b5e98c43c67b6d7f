import { beforeAll, describe, expect, it, jest } from '@jest/globals';

import { playEvening } from '../dashboard/evening.ts';
import { readDashboard, readPanels, type Target } from '../deploy/dashboard-file.ts';

const EVENING_MS = 60_000;
/** The rate interval that Grafana computes for a scrape interval of one second: four times as long. */
const RATE_INTERVAL = '4s';
/**
 * Series that stay zero: the scenario has no broker alarm, no pipeline error, no canceled report and no
 * dropped announcement.
 */
const ALWAYS_ZERO = new RegExp(
  'poker_(announcements_dropped|broker_blocked|pipeline_errors|reports_canceled)|rabbitmq_alarms',
);
/** The maximum number of lines in a panel; more are hard to distinguish. */
const MOST_SERIES = 8;

jest.setTimeout(5 * EVENING_MS);

/** Returns the result of a dashboard query in Prometheus, with the legend of each line. */
type Answer = Readonly<{ expr: string; legends: readonly string[]; most: number }>;

describe('the dashboard, after an evening on which everything happened', () => {
  const answers = new Map<number, readonly Answer[]>();
  let marks: readonly Answer[];

  beforeAll(async () => {
    await using evening = await playEvening(EVENING_MS);
    const ask = async ({ expr, legendFormat }: Target): Promise<Answer> => {
      const query = expr
        .replaceAll('$__rate_interval', RATE_INTERVAL)
        .replaceAll(/\$(?:instance|operator)/g, '.*');
      const series = await evening.prometheus.queryRange(query, evening.range);
      const values = series.flatMap((each) => each.values.map(([, value]) => Number(value)));
      return {
        expr,
        legends: series.map(({ metric }) =>
          legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? ''),
        ),
        most: Math.max(...values.filter(Number.isFinite)),
      };
    };
    for (const { id, targets } of readPanels()) answers.set(id, await Promise.all(targets.map(ask)));
    const queries = readDashboard().annotations.list.map(({ expr }) => ({
      expr: expr.replace('[1m]', `[${RATE_INTERVAL}]`),
      legendFormat: '',
    }));
    marks = await Promise.all(queries.map(ask));
  });

  it.each(readPanels())('has data for each query of: $title', ({ id }) => {
    for (const { expr, most } of answers.get(id) ?? []) {
      if (ALWAYS_ZERO.test(expr)) expect([expr, most]).toEqual([expr, 0]);
      else expect([expr, most > 0]).toEqual([expr, true]);
    }
  });

  it.each(readPanels())('has few enough lines to distinguish: $title', ({ id }) => {
    const legends = answers.get(id)?.flatMap((answer) => answer.legends) ?? [];
    expect(legends.length).toBeLessThanOrEqual(MOST_SERIES);
    expect(new Set(legends).size).toBe(legends.length);
    expect(legends.filter((legend) => legend.trim() === '')).toEqual([]);
  });

  it('marks the times at which circuits changed', () =>
    expect(marks.flatMap(({ legends }) => legends)).not.toEqual([]));
});
