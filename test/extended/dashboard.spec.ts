import { beforeAll, describe, expect, it, jest } from '@jest/globals';

import { type DrawnDashboard, type DrawnPanel, drawnDashboard } from '../dashboard/drawn-panels.ts';
import { playEvening } from '../dashboard/evening.ts';
import { readPanels } from '../deploy/dashboard-file.ts';

const EVENING_MS = 60_000;
/** There is no alarm of the broker on that evening. */
const ALWAYS_ZERO = /poker_broker_blocked|rabbitmq_alarms/;
/** More lines cannot be told apart. */
const MOST_SERIES = 8;

jest.setTimeout(5 * EVENING_MS);

/** What it looks like: `npm run dashboard`. */
describe('the dashboard, after an evening on which everything happened', () => {
  let drawn: DrawnDashboard;

  beforeAll(async () => {
    await using evening = await playEvening(EVENING_MS);
    drawn = await drawnDashboard(evening.prometheus, evening.range);
  });

  const panelOf = (id: number): DrawnPanel => drawn.panels.find((panel) => panel.id === id) as DrawnPanel;

  it.each(readPanels())('has data for each query of: $title', ({ id }) => {
    for (const { expr, series } of panelOf(id).targets) {
      const most = Math.max(...series.flatMap(({ values }) => values.filter((value) => value !== null)));
      if (ALWAYS_ZERO.test(expr)) expect([expr, most]).toEqual([expr, 0]);
      else expect([expr, most > 0]).toEqual([expr, true]);
    }
  });

  it.each(readPanels())('has no more lines than can be told apart: $title', ({ id }) => {
    const legends = panelOf(id).targets.flatMap(({ series }) => series.map(({ legend }) => legend));
    expect(legends.length).toBeLessThanOrEqual(MOST_SERIES);
    expect(new Set(legends).size).toBe(legends.length);
    expect(legends.filter((legend) => legend.trim() === '')).toEqual([]);
  });

  it('marks when circuits changed', () => {
    expect(drawn.marks).not.toEqual([]);
  });
});
