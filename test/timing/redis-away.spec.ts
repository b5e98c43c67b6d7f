import { randomUUID } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { RedisIdempotencyStore } from '#messaging';

import { LEASE_MS, Workers } from '../integration/idempotency/workers.ts';
import { PrivateRedis } from '../support/private-redis.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';

/** A quarter of a second, and the overhead of a machine. */
const ONE_TIMEOUT_MS = 600;
const AT_ONCE_MS = 100;

/** Which calls wait, and that only one does, is tested by test/integration/idempotency/redis-away.spec.ts. */
describe('A worker whose Redis does not answer', () => {
  let redis: PrivateRedis;
  let workers: Workers;
  let store: RedisIdempotencyStore;
  beforeEach(async () => {
    redis = await PrivateRedis.start();
    workers = new Workers(redis.url);
    store = await workers.join();
    redis.freeze();
  });
  afterEach(async () => {
    redis.thaw();
    await workers[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
  });

  const durationMs = async (work: () => Promise<unknown>): Promise<number> => {
    const startMs = performance.now();
    await work();
    return performance.now() - startMs;
  };
  const manyClaims = () => Promise.all(Array.from({ length: 50 }, () => store.claim(randomUUID(), 'f')));

  it('waits a quarter of a second for it, and then no longer', async () => {
    expect(await durationMs(manyClaims)).toBeLessThan(ONE_TIMEOUT_MS);
    expect(await durationMs(manyClaims)).toBeLessThan(AT_ONCE_MS);
  });

  it('waits for the lease of a dead worker, and hardly longer', async () => {
    redis.thaw();
    await using line = await TcpProxy.start(redis.url);
    await using dying = new Workers(line.through(redis.url));
    const [dead, other] = await Promise.all([dying.join(), workers.join()]);
    const id = randomUUID();
    expect(await dead.claim(id, 'f')).toMatchObject({ kind: 'claimed' });
    line.refuse();
    line.cut();
    const claim = await other.claim(id, 'f');
    if (claim.kind !== 'in flight') throw new Error(`expected it in flight, found: ${claim.kind}`);
    expect(await durationMs(() => claim.outcome)).toBeLessThan(LEASE_MS + 500);
  });

  it('waits a quarter of a second for its last call', async () => {
    expect(await durationMs(() => store.close())).toBeLessThan(ONE_TIMEOUT_MS);
  });
});
