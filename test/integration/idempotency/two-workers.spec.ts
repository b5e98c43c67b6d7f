import { hash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import type { Reply } from '#contracts';
import type { RedisIdempotencyStore } from '#messaging';

import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import { PrivateRedis } from '../../support/private-redis.ts';
import { failure, isAway, keyOf, LEASE_MS, success, TTL_MS, Workers } from './workers.ts';

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

async function claimed(store: RedisIdempotencyStore, fingerprint = 'f') {
  const claim = await store.claim(id, fingerprint);
  if (claim.kind !== 'claimed') throw new Error(`expected a claim, found: ${claim.kind}`);
  return claim;
}

async function inFlight(store: RedisIdempotencyStore): Promise<{ outcome: Promise<Reply | undefined> }> {
  const claim = await store.claim(id, 'f');
  if (claim.kind !== 'in flight') throw new Error(`expected it in flight, found: ${claim.kind}`);
  return claim;
}

describe('Two workers over one Redis', () => {
  it('know what the other one has in flight, has settled, or has released', async () => {
    expect(await two.look(id, 'f')).toBeUndefined();
    const first = await claimed(one);
    expect([await two.look(id, 'f'), await two.look(id, 'g')]).toEqual(['in flight', 'conflict']);
    await first.settle(success('s-1'));
    expect([await two.look(id, 'f'), await two.look(id, 'g')]).toEqual(['settled', 'conflict']);
    id = JSON.stringify(['default', `player-${randomUUID()}`]);
    await (await claimed(one)).settle(failure(true));
    expect(await two.look(id, 'f')).toBeUndefined();
  });

  it('replay what the other one settled', async () => {
    await (await claimed(one)).settle(success('s-1'));
    expect(await two.claim(id, 'f')).toEqual({ kind: 'settled', reply: success('s-1') });
    await expect(two.claim(id, 'other data')).resolves.toEqual({ kind: 'conflict' });
  });

  it('wait for what the other one has in flight, and detect a conflict with it', async () => {
    const first = await claimed(one);
    const [repeat, again] = [await inFlight(two), await inFlight(two)];
    expect(await two.claim(id, 'other data')).toEqual({ kind: 'conflict' });
    await sleep(50);
    await first.settle(success('s-2'));
    expect(await repeat.outcome).toEqual(success('s-2'));
    expect(await again.outcome).toEqual(success('s-2'));
    expect(await two.claim(id, 'f')).toMatchObject({ kind: 'settled' });
  });

  it('give a retryable failure to a repeat that waits on the other worker', async () => {
    const first = await claimed(one);
    const repeat = await inFlight(two);
    await first.settle(failure(true));
    expect(await repeat.outcome).toEqual(failure(true));
    await (await claimed(two)).settle(success('s-2'));
    expect(await one.claim(id, 'f')).toMatchObject({ kind: 'settled' });
  });

  it('may run at once what the other one released, with other data too', async () => {
    await (await claimed(one)).settle(failure(true));
    await (await claimed(two, 'other data')).settle(failure(true));
    await (await claimed(one)).settle(success('s-2'));
  });

  it('keep a claim for as long as its worker lives', async () => {
    const first = await claimed(one);
    const repeat = await inFlight(two);
    await redis.run(async (client) => {
      for (const untilMs = performance.now() + LEASE_MS * 2.5; performance.now() < untilMs; await sleep(20)) {
        expect(await client.pttl(keyOf(id))).toBeGreaterThan(0);
      }
    });
    await first.settle(success('s-3'));
    expect(await repeat.outcome).toEqual(success('s-3'));
  });

  it('take over the claim of a dead worker once its lease has ended', async () => {
    await using line = await TcpProxy.start(redis.url);
    await using dying = new Workers(line.through(redis.url));
    const dead = await dying.join();
    await claimed(dead);
    line.refuse();
    line.cut();
    await isAway(dead);
    const repeat = await inFlight(two);
    expect(await repeat.outcome).toBeUndefined();
    expect(await redis.run((client) => client.exists(keyOf(id)))).toBe(0);
    await (await claimed(two)).settle(success('s-4'));
    expect(await one.claim(id, 'f')).toMatchObject({ kind: 'settled' });
  });

  it('give each of many identities that both claim at once to one of them', async () => {
    const ids = Array.from({ length: 200 }, () => randomUUID());
    const claims = await Promise.all(
      ids.map((each) => Promise.all([one.claim(each, 'f'), two.claim(each, 'f')])),
    );
    for (const pair of claims) {
      expect(pair.map(({ kind }) => kind).sort()).toEqual(['claimed', 'in flight']);
      const [first] = pair.filter((claim) => claim.kind === 'claimed');
      await first?.settle(success('s-5'));
    }
  });

  it('let the data in Redis decide, whichever comes first to a worker', async () => {
    await (await claimed(one, 'right')).settle(success('s-6'));
    const claims = await Promise.all([two.claim(id, 'wrong'), two.claim(id, 'right')]);
    expect(claims.map(({ kind }) => kind)).toEqual(['conflict', 'settled']);
  });
});

describe('An entry in Redis', () => {
  it('has a key that reveals nothing, and expires by itself', async () => {
    const first = await claimed(one);
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

  it('holds no digest from which the command could be guessed', async () => {
    const fingerprint = hash('sha256', 'session.create {"userId":"p-1"}', 'base64');
    await (await claimed(one, fingerprint)).settle(success('s-1'));
    const stored = await redis.run(async (client) => {
      const keys = await client.keys('*');
      return JSON.stringify([keys, await Promise.all(keys.map((key) => client.hgetall(key)))]);
    });
    expect(stored).toContain(keyOf(id));
    for (const guess of [hash('sha256', id), hash('sha256', id, 'base64'), fingerprint])
      expect(stored).not.toContain(guess);
    expect(await two.claim(id, fingerprint)).toMatchObject({ kind: 'settled' });
  });

  it('counts as absent if it cannot be read', async () => {
    await (await claimed(one)).settle(success('s-1'));
    const key = keyOf(id);
    await redis.run((client) => client.hset(key, 'outcome', '{"type":"session.created"'));
    await (await claimed(two)).settle(success('s-2'));
    const third = await workers.join();
    expect(await third.claim(id, 'f')).toEqual({ kind: 'settled', reply: success('s-2') });
  });

  it('is not touched by a worker that has lost its claim', async () => {
    const first = await claimed(one);
    const key = keyOf(id);
    await redis.run((client) => client.hset(key, 'owner', 'another worker'));
    await first.settle(success('late'));
    expect(await redis.run((client) => client.hmget(key, 'state', 'outcome'))).toEqual(['in flight', null]);
  });

  it('is free at once if its owner ended without an outcome', async () => {
    await (await claimed(one)).release();
    await (await claimed(two)).release();
    const first = await claimed(one);
    const repeat = await inFlight(two);
    await first.release();
    expect(await repeat.outcome).toBeUndefined();
    await (await claimed(two)).settle(success('s-1'));
  });

  it('ends the wait of a repeat if a command with other data has claimed it', async () => {
    await claimed(one);
    const repeat = await inFlight(two);
    await redis.run((client) => client.hset(keyOf(id), 'fingerprint', 'other data'));
    expect(await repeat.outcome).toBeUndefined();
    expect(await two.claim(id, 'f')).toEqual({ kind: 'conflict' });
  });

  it('is restored by its owner if Redis lost it', async () => {
    const first = await claimed(one);
    await redis.run((client) => client.flushall());
    await until(
      'the claim is renewed',
      async () => (await redis.run((client) => client.exists(keyOf(id)))) === 1,
    );
    const repeat = await inFlight(two);
    await redis.run((client) => client.flushall());
    await first.settle(success('s-1'));
    expect(await (await workers.join()).claim(id, 'f')).toEqual({ kind: 'settled', reply: success('s-1') });
    await repeat.outcome;
  });
});

describe('Deduplicating a command', () => {
  it('costs two round trips to Redis: one to claim, one to settle', async () => {
    const count = 50;
    const calls = async () => {
      const facts = await redis.run((client) => client.info('commandstats'));
      return [...facts.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)].reduce(
        (sum, [, n]) => sum + Number(n),
        0,
      );
    };
    const before = await calls();
    for (let command = 0; command < count; command += 1) {
      id = randomUUID();
      await (await claimed(one)).settle(success(id));
    }
    // Claims of other tests are renewed now and then.
    expect(((await calls()) - before) / count).toBeCloseTo(2, 0);
  });
});
