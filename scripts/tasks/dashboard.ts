import { parseArgs } from 'node:util';

import { drawDashboard } from '../../test/dashboard/draw-dashboard.ts';
import { drawnDashboard } from '../../test/dashboard/drawn-panels.ts';
import { playEvening } from '../../test/dashboard/evening.ts';
import { installMissing } from '../debian.ts';
import { build } from '../build/build.ts';
import { root } from '../root.ts';
import { runTask } from '../run-task.ts';

const MINUTE_MS = 60_000;

/** Draws deploy/grafana's dashboard of an evening on which everything happens, as a real Prometheus scraped it. */
await runTask(async () => {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '4' },
      out: { type: 'string', default: 'dashboard.png' },
    },
  });
  const minutes = Number(values.minutes);
  if (!(minutes >= 1 && minutes <= 60)) throw new Error('--minutes takes a number from 1 to 60');
  await installMissing({ chromium: '/usr/bin/chromium', prometheus: '/usr/bin/promtool' });
  await build(root);
  console.log(`Starts a broker, a platform, two workers and Prometheus; then ${minutes} min of load …`);
  await using evening = await playEvening(minutes * MINUTE_MS);
  await drawDashboard(await drawnDashboard(evening.prometheus, evening.range), values.out);
  console.log(`Drawn: ${values.out}`);
  return 0;
});
