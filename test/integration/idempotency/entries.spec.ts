import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { Reply } from '#contracts';
import type { RedisIdempotencyStore } from '#messaging';

import { asking } from '../../../libs/messaging/src/idempotency/asking.fixture.ts';
import { PrivateRedis } from '../../support/private-redis.ts';
import { stackForAll } from '../../support/suite-service.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import { claimOf, failed, isAway, keyOf, LEASE_MS, success, TTL_MS, waitFor, Workers } from './workers.ts';

const stack = stackForAll();
let redis: PrivateRedis;
let workers: Workers;
let one: RedisIdempotencyStore;
let two: RedisIdempotencyStore;
let id: string;

beforeAll(async () => {
  redis = stack.use(await PrivateRedis.start());
  workers = stack.use(new Workers(redis.url));
  [one, two] = await Promise.all([workers.join(), workers.join()]);
});

beforeEach(() => void (id = JSON.stringify(['default', `player-${randomUUID()}`])));

async function callsOf(command: string): Promise<number> {
  const facts = await redis.run((client) => client.info('commandstats'));
  return Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(facts)?.[1] ?? 0);
}

const stored = () => redis.run((client) => client.get(keyOf(id)));

describe('entries in Redis', () => {
  it('is written to a Redis in cluster mode as well, one by one for different slots', async () => {
    const clustered = stack.use(await PrivateRedis.start({ 'cluster-enabled': 'yes' }));
    await clustered.run((client) => client.cluster('ADDSLOTS', ...Array(16_384).keys()));
    const worker = await stack.use(new Workers(clustered.url)).join();
    const ids = ['a', 'b', 'c'];
    await Promise.all(ids.map((each) => claimOf(worker, each)));
    const exists = (each: string) => clustered.run((client) => client.exists(keyOf(each)));
    expect(await Promise.all(ids.map(exists))).toEqual([1, 1, 1]);
  });

  it('has a key that reveals nothing, and expires by itself', async () => {
    const first = await claimOf(one, id);
    const key = keyOf(id);
    const keys = await redis.run((client) => client.keys('*'));
    expect(keys).toContain(key);
    expect(keys.filter((each) => !/^test:identity:[\w-]{43}$/.test(each))).toEqual([]);
    const expiry = () => redis.run((client) => client.pttl(key));
    expect(await expiry()).toBeLessThanOrEqual(LEASE_MS);
    await first.settle(success('s-1'));
    const ttlMs = await expiry();
    expect(ttlMs).toBeGreaterThan(TTL_MS - 5_000);
    expect(ttlMs).toBeLessThanOrEqual(TTL_MS);
  });

  it('counts as absent if it is a value of another type', async () => {
    await redis.run((client) => client.hset(keyOf(id), 'state', 'settled'));
    await (await claimOf(two, id)).settle(success('s-2'));
    expect(await one.claim(id, asking('f'))).toEqual({ kind: 'settled', reply: success('s-2') });
  });

  it('does not keep a repeat waiting past its TTL if it is a lease without an owner', async () => {
    const first = await claimOf(one, id);
    const lease = await stored();
    await first.release();
    await redis.run((client) => client.set(keyOf(id), lease ?? ''));
    const before = await callsOf('get');
    const repeat = await waitFor(two, id, { untilMs: Date.now() + 1_000 });
    expect(await repeat.outcome).toBeUndefined();
    const looks = (await callsOf('get')) - before;
    expect(looks).toBeGreaterThan(3);
    expect(looks).toBeLessThan(12);
    // A later repeat has a TTL of its own.
    expect(await two.claim(id, asking('f'))).toMatchObject({ kind: 'in flight' });
  });

  it('is restored by its owner if Redis lost it', async () => {
    const first = await claimOf(one, id);
    await redis.run((client) => client.flushall());
    await until('the claim is renewed', async () => (await stored()) !== null);
    const repeat = await waitFor(two, id);
    await redis.run((client) => client.flushall());
    await first.settle(success('s-1'));
    expect(await (await workers.join()).claim(id, asking('f'))).toEqual({
      kind: 'settled',
      reply: success('s-1'),
    });
    await repeat.outcome;
  });
});

describe('claims lost while their worker was paused', () => {
  const OUTCOMES = [success('s-1'), success('s-2'), failed('NICKNAME_TAKEN'), failed('PLATFORM_UNAVAILABLE')];
  const passes = (reply: Reply) => reply === OUTCOMES[3];

  /** Claims an identity whose lease has expired; its former worker may renew the lease at that moment. */
  const takeOver = async (store: RedisIdempotencyStore, identity: string): ReturnType<typeof claimOf> => {
    await redis.run((client) => client.del(keyOf(identity)));
    return claimOf(store, identity).catch(() => takeOver(store, identity));
  };

  it('ends for all workers with the first permanent outcome', async () => {
    const [third, later] = await Promise.all([workers.join(), workers.join()]);
    const order = fc.shuffledSubarray([0, 1, 2], { minLength: 3 });
    const replies = fc.array(fc.constantFrom(...OUTCOMES), { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(order, replies, async (settleOrder, all) => {
        const identity = randomUUID();
        const claims: Awaited<ReturnType<typeof claimOf>>[] = [];
        for (const store of [one, two, third]) {
          claims.push(await takeOver(store, identity));
        }
        let standing: Reply | undefined;
        for (const index of settleOrder) {
          const stood = await claims[index]!.settle(all[index]!);
          expect(stood).toEqual(standing ?? all[index]);
          if (!passes(stood)) standing ??= stood;
        }
        if (standing)
          expect(await later.claim(identity, asking('f'))).toEqual({
            kind: 'settled',
            reply: standing,
          });
      }),
      { numRuns: 20 },
    );
  });

  it('is left to a command with other data that claimed it in between', async () => {
    const first = await claimOf(one, id);
    await redis.run((client) => client.del(keyOf(id)));
    const other = await claimOf(two, id, asking('other data'));
    const lease = await stored();
    expect(await first.settle(success('late'))).toEqual(success('late'));
    expect(await stored()).toBe(lease);
    expect(await other.settle(success('other'))).toEqual(success('other'));
  });
});

describe('Two workers over one Redis', () => {
  it('keep a claim for as long as its worker lives', async () => {
    const first = await claimOf(one, id);
    const repeat = await waitFor(two, id);
    for (const untilMs = performance.now() + LEASE_MS * 1.5; performance.now() < untilMs; await sleep(100))
      expect(await stored()).not.toBeNull();
    await first.settle(success('s-3'));
    expect(await repeat.outcome).toEqual(success('s-3'));
  });

  it('take over the claim of a dead worker once its lease has ended', async () => {
    await using line = await TcpProxy.start(redis.url);
    using dying = new Workers(line.through(redis.url));
    const dead = await dying.join();
    await claimOf(dead, id);
    line.refuse();
    line.cut();
    await isAway(dead);
    const repeat = await waitFor(two, id);
    expect(await repeat.outcome).toBeUndefined();
    expect(await redis.run((client) => client.exists(keyOf(id)))).toBe(0);
    await (await claimOf(two, id)).settle(success('s-4'));
    expect(await one.claim(id, asking('f'))).toMatchObject({ kind: 'settled' });
  });

  it('let the data in Redis decide, whichever command reaches a worker first', async () => {
    await (await claimOf(one, id, asking('right'))).settle(success('s-6'));
    const claims = await Promise.all([two.claim(id, asking('wrong')), two.claim(id, asking('right'))]);
    expect(claims.map(({ kind }) => kind)).toEqual(['conflict', 'settled']);
  });

  it('make two round trips for a command: one to claim, one to settle', async () => {
    const calls = async () => (await callsOf('eval')) + (await callsOf('evalsha'));
    const before = await calls();
    for (let n = 0; n < 50; n += 1) await (await claimOf(one, randomUUID())).settle(success(id));
    // Other tests' claims are occasionally renewed.
    expect(((await calls()) - before) / 50).toBeCloseTo(2, 0);
  });
});
