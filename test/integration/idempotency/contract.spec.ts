import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type IdempotencyStore, MemoryIdempotencyStore } from '#messaging';

import { PrivateRedis } from '../../support/private-redis.ts';
import { failure, success, TTL_MS, Workers } from './workers.ts';

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
  ['of all workers, without Redis', () => new Workers('redis://127.0.0.1:1').start()],
];

describe.each(stores)('The memory %s', (_, create) => {
  let store: IdempotencyStore;
  let id: string;

  beforeAll(async () => {
    store = await create();
  });
  afterAll(() => store.close());

  const claim = async (identity: string, fingerprint = 'f') => store.claim(identity, fingerprint);
  const mine = async (identity: string, fingerprint = 'f') => {
    const taken = await claim(identity, fingerprint);
    if (taken.kind !== 'mine') throw new Error(`expected a claim, found: ${taken.kind}`);
    return taken;
  };

  it('replays a success', async () => {
    id = randomUUID();
    await (await mine(id)).settle(success('s-1'));
    expect(await claim(id)).toMatchObject({ kind: 'decided', reply: success('s-1') });
  });

  it('replays a failure that is not retryable', async () => {
    id = randomUUID();
    await (await mine(id)).settle(failure(false));
    expect(await claim(id)).toMatchObject({ kind: 'decided', reply: failure(false) });
  });

  it('lets a repeat wait for the first, and gives it the same reply', async () => {
    id = randomUUID();
    const first = await mine(id);
    const repeats = await Promise.all([claim(id), claim(id)]);
    await first.settle(success('s-2'));
    for (const repeat of repeats) {
      expect(repeat.kind).toBe('under way');
      expect(repeat.kind === 'under way' && (await repeat.reply)).toEqual(success('s-2'));
    }
  });

  it('gives a retryable failure to those who wait, and frees the identity', async () => {
    id = randomUUID();
    const first = await mine(id);
    const repeat = await claim(id);
    await first.settle(failure(true));
    expect(repeat.kind === 'under way' && (await repeat.reply)).toEqual(failure(true));
    await (await mine(id, 'other data')).settle(success('s-3'));
    expect(await claim(id, 'other data')).toMatchObject({ kind: 'decided', reply: success('s-3') });
  });

  it('frees an identity that ended without a reply, and lets those who wait begin anew', async () => {
    id = randomUUID();
    const first = await mine(id);
    const repeat = await claim(id);
    await first.release();
    expect(repeat.kind === 'under way' && (await repeat.reply)).toBeUndefined();
    await (await mine(id)).settle(success('s-1'));
    expect(await claim(id)).toMatchObject({ kind: 'decided', reply: success('s-1') });
  });

  it('finds a conflict while the first is under way, and after it', async () => {
    id = randomUUID();
    const first = await mine(id);
    expect(await claim(id, 'other data')).toEqual({ kind: 'conflict' });
    await first.settle(success('s-4'));
    expect(await claim(id, 'other data')).toEqual({ kind: 'conflict' });
    expect(await claim(id)).toMatchObject({ kind: 'decided' });
  });

  it('keeps identities apart, and gives one to one of many that come at once', async () => {
    id = randomUUID();
    expect(await claim(randomUUID())).toMatchObject({ kind: 'mine' });
    const claims = await Promise.all(Array.from({ length: 50 }, () => claim(id)));
    expect(claims.filter(({ kind }) => kind === 'mine')).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === 'under way')).toHaveLength(49);
  });
});
