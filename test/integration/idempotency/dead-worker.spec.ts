import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { RedisIdempotencyStore } from '#messaging';

import { TcpProxy } from '../../support/tcp-proxy.ts';
import { PrivateRedis } from '../../support/private-redis.ts';
import { isAway, isBack, success, Workers } from './workers.ts';

/** Longer than a test: a claim that is taken over is not taken over because its lease ended. */
const LEASE_MS = 60_000;
const ABSENCE_MS = 1_500;
const REDELIVERED = true;

let redis: PrivateRedis;
let line: TcpProxy;
let workers: Workers;
let holders: Workers;
let holder: RedisIdempotencyStore;
let other: RedisIdempotencyStore;
let id: string;

beforeEach(async () => {
  redis = await PrivateRedis.start();
  line = await TcpProxy.start(redis.url);
  workers = new Workers(redis.url, { leaseMs: LEASE_MS, absenceMs: ABSENCE_MS });
  holders = new Workers(line.through(redis.url), { leaseMs: LEASE_MS });
  [holder, other] = await Promise.all([holders.join(), workers.join()]);
  id = randomUUID();
});

afterEach(async () => {
  for (const each of [holders, workers, line, redis]) await each[Symbol.asyncDispose]();
});

async function claimed(store: RedisIdempotencyStore) {
  const claim = await store.claim(id, 'f');
  if (claim.kind !== 'claimed') throw new Error(`expected a claim, found: ${claim.kind}`);
  return claim;
}

/** The outcome that a copy of the command waits for, and whether it has arrived. */
async function wait(store: RedisIdempotencyStore, isRedelivered: boolean) {
  const claim = await store.claim(id, 'f', { isRedelivered });
  if (claim.kind !== 'in flight') throw new Error(`expected it in flight, found: ${claim.kind}`);
  const waiting = { isOver: false, outcome: claim.outcome };
  void claim.outcome.then(() => (waiting.isOver = true));
  return waiting;
}

/** What the end of a process looks like from Redis. */
async function die(): Promise<void> {
  line.refuse();
  line.cut();
  await isAway(holder);
}

describe('The claim of a dead worker', () => {
  it('passes to its redelivered command, long before the lease ends', async () => {
    await claimed(holder);
    await die();
    const redelivered = await wait(other, REDELIVERED);
    await sleep(ABSENCE_MS - 200);
    expect(redelivered.isOver).toBe(false);
    expect(await redelivered.outcome).toBeUndefined();
    await (await claimed(other)).settle(success('s-1'));
  });

  it('does not pass to another copy, which was not redelivered', async () => {
    await claimed(holder);
    await die();
    const copy = await wait(other, !REDELIVERED);
    await sleep(2 * ABSENCE_MS);
    expect(copy.isOver).toBe(false);
  });

  it('waits for its lease if Redis does not show who is connected', async () => {
    await redis.run((client) =>
      client.call('ACL', 'SETUSER', 'worker', 'on', '>pw', '~*', '+@all', '-client'),
    );
    const url = redis.url.replace('//', '//worker:pw@');
    await using restricted = new Workers(url, { leaseMs: LEASE_MS, absenceMs: 1 });
    const [one, two] = await Promise.all([restricted.join(), restricted.join()]);
    const claim = await claimed(one);
    const redelivered = await wait(two, REDELIVERED);
    await sleep(ABSENCE_MS);
    expect([redelivered.isOver, two.state.kind]).toEqual([false, 'available']);
    await claim.settle(success('s-1'));
    expect(await redelivered.outcome).toEqual(success('s-1'));
  });
});

describe('The claim of a living worker', () => {
  it('stays its own if only the command was lost', async () => {
    const claim = await claimed(holder);
    const redelivered = await wait(other, REDELIVERED);
    await sleep(2 * ABSENCE_MS);
    expect(redelivered.isOver).toBe(false);
    await claim.settle(success('s-1'));
    expect(await redelivered.outcome).toEqual(success('s-1'));
  });

  it('stays its own if its connection to Redis was cut too, and restored', async () => {
    const claim = await claimed(holder);
    const redelivered = await wait(other, REDELIVERED);
    line.cut();
    await isAway(holder);
    await isBack(holder);
    await sleep(2 * ABSENCE_MS);
    expect(redelivered.isOver).toBe(false);
    await claim.settle(success('s-1'));
    expect(await redelivered.outcome).toEqual(success('s-1'));
  });
});
