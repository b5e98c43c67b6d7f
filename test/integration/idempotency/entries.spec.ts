import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';

import type { RedisIdempotencyStore } from '#messaging';

import { PrivateRedis } from '../../../scripts/private-redis.ts';
import { until } from '../../support/until.ts';
import { claimOf, keyOf, LEASE_MS, success, TTL_MS, waitFor, Workers } from './workers.ts';

let redis: PrivateRedis;
let workers: Workers;
let one: RedisIdempotencyStore;
let two: RedisIdempotencyStore;
let id: string;

beforeAll(async () => {
  redis = await PrivateRedis.start();
  workers = new Workers(redis.url);
  [one, two] = await Promise.all([workers.join(), workers.join()]);
});

beforeEach(() => {
  id = JSON.stringify(['default', `player-${randomUUID()}`]);
});

afterAll(async () => {
  await workers[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

/** How often Redis was given a command so far. */
async function callsOf(command: string): Promise<number> {
  const facts = await redis.run((client) => client.info('commandstats'));
  return Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(facts)?.[1] ?? 0);
}

/** An outcome as its worker wrote it, but for the reply. */
function withoutReply(outcome: string): string {
  return outcome.split(' ').slice(0, 2).join(' ');
}

describe('An entry in Redis', () => {
  it('has a key that reveals nothing, and expires by itself', async () => {
    const first = await claimOf(one, id);
    const key = keyOf(id);
    const keys = await redis.run((client) => client.keys('*'));
    expect(keys).toContain(key);
    expect(keys.filter((each) => !/^test:identity:[0-9a-f]{64}$/.test(each))).toEqual([]);
    const leaseMs = await redis.run((client) => client.pttl(key));
    expect(leaseMs).toBeGreaterThan(0);
    expect(leaseMs).toBeLessThanOrEqual(LEASE_MS);
    await first.settle(success('s-1'));
    const ttlMs = await redis.run((client) => client.pttl(key));
    expect(ttlMs).toBeGreaterThan(TTL_MS - 5_000);
    expect(ttlMs).toBeLessThanOrEqual(TTL_MS);
  });

  const PLANTED: [string, (key: string, outcome: string) => (client: Redis) => Promise<unknown>][] = [
    ['nothing that is known', (key) => (client) => client.set(key, 'something')],
    ['an outcome without a reply', (key, outcome) => (client) => client.set(key, withoutReply(outcome))],
    ['a settled claim of another version', (key) => (client) => client.hset(key, 'state', 'settled')],
  ];

  it.each(PLANTED)('counts as absent if somebody wrote %s', async (_, plant) => {
    await (await claimOf(one, id)).settle(success('s-1'));
    const key = keyOf(id);
    const outcome = (await redis.run((client) => client.get(key))) ?? '';
    await redis.run(async (client) => {
      await client.del(key);
      await plant(key, outcome)(client);
    });
    await (await claimOf(two, id)).settle(success('s-2'));
    const third = await workers.join();
    expect(await third.claim(id, 'f')).toEqual({ kind: 'settled', reply: success('s-2') });
    expect([one.state.kind, two.state.kind]).toEqual(['available', 'available']);
  });

  it('is run if somebody keeps writing what nobody can read', async () => {
    const key = keyOf(id);
    let isOver = false;
    const writing = redis.run(async (client) => {
      while (!isOver) await client.set(key, randomUUID());
    });
    await (await claimOf(one, id)).settle(success('s-1'));
    isOver = true;
    await writing;
  });

  it('does not keep a repeat waiting past its time, if it is a lease that nobody holds', async () => {
    const first = await claimOf(one, id);
    const lease = await redis.run((client) => client.get(keyOf(id)));
    await first.release();
    await redis.run((client) => client.set(keyOf(id), lease ?? ''));
    const before = await callsOf('get');
    const claim = await two.claim(id, 'f', { untilMs: Date.now() + 1_000 });
    expect(claim.kind === 'in flight' && (await claim.outcome)).toBeUndefined();
    const looks = (await callsOf('get')) - before;
    expect(looks).toBeGreaterThan(3);
    expect(looks).toBeLessThan(12);
    // A repeat that comes later has a time of its own.
    expect(await two.claim(id, 'f')).toMatchObject({ kind: 'in flight' });
  });

  it('is not touched by a worker that has lost its claim', async () => {
    const first = await claimOf(one, id);
    const key = keyOf(id);
    const lease = `${await redis.run((client) => client.get(key))} of another worker`;
    await redis.run((client) => client.set(key, lease, 'PX', LEASE_MS));
    await first.settle(success('late'));
    expect(await redis.run((client) => client.get(key))).toBe(lease);
  });

  it('is free at once if its owner ended without an outcome', async () => {
    await (await claimOf(one, id)).release();
    await (await claimOf(two, id)).release();
    const first = await claimOf(one, id);
    const repeat = await waitFor(two, id);
    await first.release();
    expect(await repeat.outcome).toBeUndefined();
    await (await claimOf(two, id)).settle(success('s-1'));
  });

  it('ends the wait of a repeat if a command with other data has claimed it', async () => {
    await claimOf(one, id);
    const repeat = await waitFor(two, id);
    await redis.run((client) => client.set(keyOf(id), 'lease of-other-data owner', 'PX', LEASE_MS));
    expect(await repeat.outcome).toBeUndefined();
    expect(await two.claim(id, 'f')).toEqual({ kind: 'conflict' });
  });

  it('is restored by its owner if Redis lost it', async () => {
    const first = await claimOf(one, id);
    await redis.run((client) => client.flushall());
    await until(
      'the claim is renewed',
      async () => (await redis.run((client) => client.exists(keyOf(id)))) === 1,
    );
    const repeat = await waitFor(two, id);
    await redis.run((client) => client.flushall());
    await first.settle(success('s-1'));
    expect(await (await workers.join()).claim(id, 'f')).toEqual({ kind: 'settled', reply: success('s-1') });
    await repeat.outcome;
  });
});

describe('Deduplicating a command', () => {
  it('costs two round trips to Redis: one to claim, one to settle', async () => {
    const count = 50;
    const calls = async () => (await callsOf('eval')) + (await callsOf('evalsha'));
    const before = await calls();
    for (let command = 0; command < count; command += 1) {
      id = randomUUID();
      await (await claimOf(one, id)).settle(success(id));
    }
    // Claims of other tests are renewed now and then.
    expect(((await calls()) - before) / count).toBeCloseTo(2, 0);
  });
});
