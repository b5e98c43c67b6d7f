import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { Gate, healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../../scripts/processes/worker-process.ts';
import { PrivateRedis } from '../../../scripts/private-redis.ts';

let redis: PrivateRedis;
let service: ServiceUnderTest;
let workers: WorkerProcess[];
const gate = new Gate();
/** A claim is renewed three times within it. */
const LEASE_MS = 1_500;
const RENEWED_MS = 500;

beforeAll(async () => {
  redis = await PrivateRedis.start();
  service = await ServiceUnderTest.start({
    behaviour: gate.behind(healthy()),
    variables: { REDIS_URL: redis.url, INTERACTIVE_PREFETCH: '20' },
  });
  workers = await Promise.all([service.worker(), service.worker()]);
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

/** How health shows Redis. */
async function redisOf(worker: WorkerProcess): Promise<unknown> {
  const { status, body } = await worker.get('/health');
  expect(status).toBe(200);
  return (JSON.parse(body) as { details: { redis: { status: string } } }).details.redis.status;
}

const lines = (worker: WorkerProcess, message: string) =>
  worker.log.filter(({ msg }) => msg === message).length;

describe('Two workers over one Redis', () => {
  it('run a command once if both have copies of it in flight, and give all of them one reply', async () => {
    const ids = Array.from({ length: 5 }, () => randomUUID());
    const copies = ids.flatMap((messageId) =>
      Array.from({ length: 4 }, () =>
        service.caller.send('session.create', { userId: messageId }, { messageId }),
      ),
    );
    await until('all are in flight, and none is run twice', () => gate.held === ids.length);
    gate.open();
    const replies = (await Promise.all(copies)).flat();
    expect(replies.map(({ type }) => type)).toEqual(copies.map(() => 'session.created'));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(ids.length);
    expect(service.platform.requests).toHaveLength(ids.length);
    const replays = await Promise.all(workers.map((worker) => worker.metric('poker_replays_total')));
    expect(replays[0]! + replays[1]!).toBe(copies.length - ids.length);
  });

  it('continue without it, log that once, and reconnect', async () => {
    await redis.kill();
    for (const worker of workers) {
      await until('it is seen', async () => (await redisOf(worker)) === 'degraded');
      expect((await worker.get('/health/ready')).status).toBe(200);
    }
    const [reply] = await service.caller.send('session.create', { userId: 'p-1' });
    expect(reply?.type).toBe('session.created');
    await redis.restart();
    for (const worker of workers) {
      await until('it is back', async () => (await redisOf(worker)) === 'up');
      await until('it is logged', () => lines(worker, 'Redis connected; deduplication is shared') === 2);
      expect(lines(worker, 'Redis is away; each worker deduplicates by itself')).toBe(1);
      expect(worker.stderr).toBe('');
    }
  });

  it('stop cleanly, with Redis and without', async () => {
    const [one, two] = workers;
    one?.kill('SIGTERM');
    expect(await one?.exited).toEqual({ code: 0, signal: null });
    redis.freeze();
    two?.kill('SIGTERM');
    expect(await two?.exited).toEqual({ code: 0, signal: null });
    redis.thaw();
  });
});

describe('A command in flight whose worker is killed', () => {
  it('waits for the lease on another worker, and is run there', async () => {
    const held = new Gate();
    await using shared = await ServiceUnderTest.start({
      behaviour: held.behind(healthy()),
      variables: { REDIS_URL: redis.url },
    });
    const killed = await shared.worker();
    const reply = shared.caller.send('session.create', { userId: 'p-1' }, { messageId: randomUUID() });
    await until('it is called', () => held.held === 1);
    await shared.worker();
    killed.kill('SIGKILL');
    const killedAtMs = performance.now();
    held.open();
    expect(await reply).toMatchObject([{ type: 'session.created' }]);
    expect(performance.now() - killedAtMs).toBeGreaterThan(LEASE_MS - RENEWED_MS);
    expect(shared.platform.requests).toHaveLength(2);
  });
});
