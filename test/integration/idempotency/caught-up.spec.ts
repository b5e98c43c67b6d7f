import { randomUUID } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import type { RedisIdempotencyStore } from '#messaging';

import { PrivateRedis } from '../../support/private-redis.ts';
import { until } from '../../support/until.ts';
import { failure, isAway, isBack, keyOf, success, TTL_MS, Workers } from './workers.ts';

jest.setTimeout(30_000);

let redis: PrivateRedis;
let workers: Workers;
let store: RedisIdempotencyStore;
let lateMs: number;

beforeEach(async () => {
  redis = await PrivateRedis.start();
  lateMs = 0;
  workers = new Workers(redis.url, { nowMs: () => Date.now() + lateMs });
  store = await workers.join();
  await redis.kill();
  await isAway(store);
});

afterEach(async () => {
  await workers[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

async function settled(reply = success('s-1')): Promise<string> {
  const id = randomUUID();
  const claim = await store.claim(id, 'f');
  if (claim.kind !== 'claimed') throw new Error(`expected a claim, found: ${claim.kind}`);
  await claim.settle(reply);
  return id;
}

const ttlMs = (id: string) => redis.run((client) => client.pttl(keyOf(id)));
const state = (id: string) => redis.run((client) => client.hget(keyOf(id), 'state'));
const isStored = (id: string) => until('Redis has it', async () => (await ttlMs(id)) > 0);

async function comeBack(): Promise<void> {
  await redis.restart();
  await isBack(store);
}

describe('A Redis that is available again', () => {
  it('gets the outcomes that it missed, each for as long as it is valid', async () => {
    const old = await settled();
    lateMs = TTL_MS / 2;
    const young = await settled();
    lateMs = TTL_MS;
    await comeBack();
    await isStored(young);
    expect(await ttlMs(young)).toBeLessThanOrEqual(TTL_MS / 2);
    expect(await ttlMs(young)).toBeGreaterThan(TTL_MS / 2 - 10_000);
    expect(await state(old)).toBeNull();
  });

  it('does not get outcomes that are not kept', async () => {
    const released = await settled(failure(true));
    const kept = await settled();
    await comeBack();
    await isStored(kept);
    expect(await state(released)).toBeNull();
  });

  it('gets a new claim rather than an expired outcome of the same identity', async () => {
    const id = await settled();
    lateMs = TTL_MS;
    expect(await store.claim(id, 'f')).toMatchObject({ kind: 'claimed' });
    await comeBack();
    await isStored(id);
    expect(await state(id)).toBe('in flight');
  });

  it('gets thousands of them, even if it goes away again in between', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 3_000; index += 1) ids.push(await settled());
    const keys = ids.map(keyOf);
    const stored = () => redis.run((client) => client.exists(...keys));
    await comeBack();
    await until('it has some', async () => (await stored()) > 0);
    redis.freeze();
    await isAway(store);
    redis.thaw();
    expect(await stored()).toBeLessThan(keys.length);
    keys.push(keyOf(await settled()));
    await until('it has all', async () => (await stored()) === keys.length, 20_000);
  });
});
