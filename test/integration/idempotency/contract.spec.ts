import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { type IdempotencyStore, MemoryIdempotencyStore } from '#messaging';

import { PrivateRedis } from '../../../scripts/private-redis.ts';
import { claimOf, expiry, failure, success, TTL_MS, Workers } from './workers.ts';

let redis: PrivateRedis;
let workers: Workers;

beforeAll(async () => {
  redis = await PrivateRedis.start();
  workers = new Workers(redis.url);
});

afterAll(async () => {
  await workers[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

const stores: [string, () => IdempotencyStore | Promise<IdempotencyStore>][] = [
  ['of one worker', () => new MemoryIdempotencyStore(TTL_MS, Date.now)],
  ['of all workers', () => workers.join()],
  ['of all workers, while Redis is away', () => new Workers('redis://127.0.0.1:1').start()],
];

describe.each(stores)('The identities %s', (_, create) => {
  let store: IdempotencyStore;
  let id: string;

  beforeAll(async () => {
    store = await create();
  });

  beforeEach(() => {
    id = randomUUID();
  });

  afterAll(() => store.close());

  const claim = async (identity: string, fingerprint = 'f') => store.claim(identity, fingerprint);
  const claimed = (identity: string, fingerprint?: string) => claimOf(store, identity, fingerprint);

  it.each([
    ['a success', success('s-1')],
    ['a failure that is not retryable', failure(false)],
    ['an expiry after the platform was called', expiry(true)],
  ])('replays %s', async (__, reply) => {
    await (await claimed(id)).settle(reply);
    expect(await claim(id)).toMatchObject({ kind: 'settled', reply });
  });

  it('lets a repeat wait for the first, and gives it the same reply', async () => {
    const first = await claimed(id);
    const repeats = await Promise.all([claim(id), claim(id)]);
    await first.settle(success('s-2'));
    for (const repeat of repeats) {
      expect(repeat.kind).toBe('in flight');
      expect(repeat.kind === 'in flight' && (await repeat.outcome)).toEqual(success('s-2'));
    }
  });

  it.each([
    ['a retryable failure', failure(true)],
    ['an expiry before the platform was called', expiry(false)],
  ])('gives %s to the waiting repeats, and releases the identity', async (__, reply) => {
    const first = await claimed(id);
    const repeat = await claim(id);
    await first.settle(reply);
    expect(repeat.kind === 'in flight' && (await repeat.outcome)).toEqual(reply);
    await (await claimed(id, 'other data')).settle(success('s-3'));
    expect(await claim(id, 'other data')).toMatchObject({ kind: 'settled', reply: success('s-3') });
  });

  it('releases an identity that ended without an outcome, and lets a waiting repeat claim it', async () => {
    const first = await claimed(id);
    const repeat = await claim(id);
    await first.release();
    expect(repeat.kind === 'in flight' && (await repeat.outcome)).toBeUndefined();
    await (await claimed(id)).settle(success('s-1'));
    expect(await claim(id)).toMatchObject({ kind: 'settled', reply: success('s-1') });
  });

  it.each([
    ['a retryable failure', failure(true)],
    ['an expiry before the platform was called', expiry(false)],
  ])('gives %s to the same message if that is redelivered, and to no other', async (__, reply) => {
    const redelivered = (fingerprint: string) => store.claim(id, fingerprint, { isRedelivered: true });
    await (await claimed(id)).settle(reply);
    expect(await redelivered('f')).toEqual({ kind: 'settled', reply });
    expect(await redelivered('f')).toEqual({ kind: 'settled', reply });
    expect((await redelivered('other data')).kind).toBe('claimed');
  });

  it('finds a conflict while the first is in flight, and after it', async () => {
    const first = await claimed(id);
    expect(await claim(id, 'other data')).toEqual({ kind: 'conflict' });
    await first.settle(success('s-4'));
    expect(await claim(id, 'other data')).toEqual({ kind: 'conflict' });
    expect(await claim(id)).toMatchObject({ kind: 'settled' });
  });

  it('separates identities, and gives each to one of many concurrent claims', async () => {
    expect(await claim(randomUUID())).toMatchObject({ kind: 'claimed' });
    const claims = await Promise.all(Array.from({ length: 50 }, () => claim(id)));
    expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === 'in flight')).toHaveLength(49);
  });
});
