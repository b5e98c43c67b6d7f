import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import type { Reply } from '#contracts';

import { RedisLeases } from './redis-leases.ts';

const LEASE_MS = 3_000;
const TTL_MS = 60_000;
const reply = { type: 'session.created', data: {} } as Reply;

let nowMs: number;
let isAway: boolean;
let told: { key: string; ttlMs: number }[];
let renewed: string[][];
let leases: RedisLeases;

beforeEach(() => {
  jest.useFakeTimers();
  nowMs = 0;
  isAway = false;
  told = [];
  renewed = [];
  leases = new RedisLeases({
    identities: {
      settle: (key, _, __, ttlMs) => {
        if (!isAway) told.push({ key, ttlMs });
        return Promise.resolve(isAway ? undefined : true);
      },
      renew: (held) => {
        renewed.push([...held.keys()]);
        return Promise.resolve();
      },
    },
    leaseMs: LEASE_MS,
    ttlMs: TTL_MS,
    nowMs: () => nowMs,
  });
});

afterEach(() => {
  jest.useRealTimers();
});

describe('RedisLeases', () => {
  it('renews all claims by one timer, well before they end, and has none where there are none', async () => {
    expect(jest.getTimerCount()).toBe(0);
    leases.hold('a', 'f');
    leases.hold('b', 'f');
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(LEASE_MS / 3);
    await leases.settle('a', 'f', reply);
    jest.advanceTimersByTime(LEASE_MS / 3);
    expect(renewed).toEqual([['a', 'b'], ['b']]);
    await leases.settle('b', 'f', reply);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('tells a Redis that is back what it missed, for as long as that counts', async () => {
    isAway = true;
    await leases.settle('old', 'f', reply);
    nowMs = TTL_MS / 2;
    await leases.settle('young', 'f', reply);
    nowMs = TTL_MS;
    await leases.catchUp();
    isAway = false;
    await leases.catchUp();
    await leases.catchUp();
    expect(told).toEqual([{ key: 'young', ttlMs: TTL_MS / 2 }]);
  });

  it('does not tell an old settlement of what is claimed anew', async () => {
    isAway = true;
    await leases.settle('a', 'f', reply);
    leases.hold('a', 'f');
    isAway = false;
    await leases.catchUp();
    expect(told).toEqual([]);
    expect(renewed).toEqual([['a']]);
    leases.close();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('keeps ten thousand settlements for a Redis that is away, the youngest', async () => {
    isAway = true;
    for (let index = 0; index <= 10_000; index += 1) await leases.settle(`key ${index}`, 'f', reply);
    isAway = false;
    await leases.catchUp();
    expect(told).toHaveLength(10_000);
    expect(told[0]?.key).toBe('key 1');
  });

  it('keeps at most 32 MiB of replies for it, the youngest, and has the room again', async () => {
    const long = { type: 'session.created', data: { auth: 'x'.repeat(512 * 1024) } } as Reply;
    for (let round = 0; round < 2; round += 1) {
      isAway = true;
      told = [];
      for (let index = 0; index < 40; index += 1) await leases.settle(`key ${index}`, 'f', long);
      isAway = false;
      await leases.catchUp();
      expect(told).toHaveLength(31);
      expect(told.at(-1)?.key).toBe('key 39');
    }
  });
});
