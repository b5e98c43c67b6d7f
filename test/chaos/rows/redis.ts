import { setTimeout as sleep } from 'node:timers/promises';

import type { Row } from '../row.ts';

const DOWN_MS = 3_000;

export const redisKill: Row = {
  name: 'redis-kill',
  title: 'Redis killed, and started again empty 3 s later',
  isOurs: true,
  disturb: (stage) =>
    stage.times(1, async () => {
      stage.breaks('Redis killed');
      await stage.redis.kill();
      await sleep(DOWN_MS);
      await stage.redis.restart();
      stage.mends('Redis is back');
    }),
};
