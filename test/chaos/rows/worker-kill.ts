import type { Row } from '../row.ts';

const KILLS = 6;

export const workerKill: Row = {
  name: 'worker-kill',
  title: 'one of two workers killed, six times',
  disturb: (stage) =>
    stage.times(KILLS, async (turn) => {
      stage.breaks('worker killed');
      stage.mendedMs.push(Date.now());
      await stage.workers.end(turn % 2, 'SIGKILL');
      await stage.workers.areReady();
      stage.breaks('its successor takes commands');
    }),
};
