import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import type { RedisIdempotencyStore } from '#messaging';

import { PrivateRedis } from '../../../scripts/private-redis.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { claimOf, failure, isAway, keyOf, LEASE_MS, success, waitFor, Workers } from './workers.ts';

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

describe('Two workers over one Redis', () => {
  it('replay what the other one settled', async () => {
    await (await claimOf(one, id)).settle(success('s-1'));
    expect(await two.claim(id, 'f')).toEqual({ kind: 'settled', reply: success('s-1') });
    await expect(two.claim(id, 'other data')).resolves.toEqual({ kind: 'conflict' });
  });

  it('wait for what the other one has in flight, and detect a conflict with it', async () => {
    const first = await claimOf(one, id);
    const [repeat, again] = [await waitFor(two, id), await waitFor(two, id)];
    expect(await two.claim(id, 'other data')).toEqual({ kind: 'conflict' });
    await sleep(50);
    await first.settle(success('s-2'));
    expect(await repeat.outcome).toEqual(success('s-2'));
    expect(await again.outcome).toEqual(success('s-2'));
    expect(await two.claim(id, 'f')).toMatchObject({ kind: 'settled' });
  });

  it('give a retryable failure to a repeat that waits on the other worker', async () => {
    const first = await claimOf(one, id);
    const repeat = await waitFor(two, id);
    await first.settle(failure(true));
    expect(await repeat.outcome).toEqual(failure(true));
    expect(await two.claim(id, 'f', { isRedelivered: true })).toEqual({
      kind: 'settled',
      reply: failure(true),
    });
    await (await claimOf(two, id)).settle(success('s-2'));
    expect(await one.claim(id, 'f')).toMatchObject({ kind: 'settled' });
  });

  it('keep a claim for as long as its worker lives', async () => {
    const first = await claimOf(one, id);
    const repeat = await waitFor(two, id);
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
    await claimOf(dead, id);
    line.refuse();
    line.cut();
    await isAway(dead);
    const repeat = await waitFor(two, id);
    expect(await repeat.outcome).toBeUndefined();
    expect(await redis.run((client) => client.exists(keyOf(id)))).toBe(0);
    await (await claimOf(two, id)).settle(success('s-4'));
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
    await (await claimOf(one, id, 'right')).settle(success('s-6'));
    const claims = await Promise.all([two.claim(id, 'wrong'), two.claim(id, 'right')]);
    expect(claims.map(({ kind }) => kind)).toEqual(['conflict', 'settled']);
  });
});
