import type { Row } from '../row.ts';

const ROUNDS = 2;

export const rollingRestart: Row = {
  name: 'rolling-restart',
  title: 'two workers stopped in turn (SIGTERM), twice',
  disturb: (stage) =>
    stage.times(ROUNDS, async () => {
      for (const number of [0, 1]) {
        stage.breaks(`worker ${number} is told to stop`);
        await stage.workers.end(number, 'SIGTERM');
        await stage.workers.areReady();
        stage.mends('its successor takes commands');
      }
    }),
};
