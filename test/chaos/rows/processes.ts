import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { healthy, playerOf } from '../../support/platform-answers.ts';
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

const SHIFTED = fileURLToPath(new URL('../stage/shifted-clock.mjs', import.meta.url));

export const clockForward: Row = {
  name: 'clock-forward',
  title: 'the clock of one worker set forward by an hour',
  wishes: {
    variablesOf: (number) => (number === 0 ? { NODE_OPTIONS: `--import=${SHIFTED}` } : {}),
  },
  isOurs: true,
  disturb: (stage) =>
    stage.times(1, async () => {
      stage.workers.programs[0]?.kill('SIGUSR2');
      stage.mends('the clock of worker 0 is set forward');
    }),
};

/** Its id, and that of its player. */
const POISON = 'poison';

export const poison: Row = {
  name: 'poison',
  title: 'a command that kills its worker each time',
  disturb: (stage) =>
    stage.times(1, async () => {
      stage.fault = async (request, response, socket) => {
        if (playerOf(request) !== POISON) return healthy(3)(request, response, socket);
        const number = Number(/worker-(\d+)/.exec(request.url.search)?.[1] ?? 0);
        stage.breaks(`the command kills worker ${number}`);
        await stage.workers.end(number, 'SIGKILL');
      };
      stage.ledger.sent(POISON, 'session.create', true);
      await stage.caller.publish('session.create', POISON, { userId: POISON });
      stage.ledger.delivered(POISON);
    }),
};
