import { describe, expect, it } from '@jest/globals';

import { readPanels, readQueries } from './dashboard-file.ts';
import { BROKER_SERIES, seriesIn, unknownIn, workerSeries } from './prometheus-queries.ts';

const series = new Map([...workerSeries(), ...BROKER_SERIES]);
const panels = readPanels();
const shown = (expression: string) => seriesIn(expression.replaceAll(/\$\w+/g, ''));

describe('deploy/grafana/dashboards/poker-bridge.json', () => {
  it.each(readQueries())('queries series and labels that a worker or RabbitMQ exports: %s', (expression) => {
    expect(shown(expression)).not.toEqual([]);
    expect(unknownIn(expression.replaceAll(/\$\w+/g, ''))).toEqual([]);
  });

  it('shows every metric of the service', () => {
    const asked = new Set(readQueries().flatMap(shown));
    const own = [...series.keys()].filter((name) => /^poker_.*(?<!_sum|_count)$/.test(name));
    // Waiting calls are seldom near their limit, and connections say more than the commands behind them.
    const left = ['poker_admission_waiting_limit', 'poker_compartment_in_flight'];
    expect(own.filter((name) => !asked.has(name) && !left.includes(name))).toEqual([]);
  });

  it('uses only labels in a legend that the query returns', () => {
    const wrong = panels.flatMap(({ title, targets }) =>
      targets.flatMap(({ expr, legendFormat }) => {
        const labels = new Set(shown(expr).flatMap((name) => series.get(name) ?? []));
        const used = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
        return used.filter((label) => !labels.has(label)).map((label) => `${title}: ${label}`);
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('describes every panel, and places none over another', () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(panels.filter(({ description }) => !/^\S.{10,}\.$/.test(description))).toEqual([]);
  });
});
