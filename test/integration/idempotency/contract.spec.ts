import { randomUUID } from 'node:crypto';

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { type IdempotencyStore, MemoryIdempotencyStore } from '#messaging';

import { asking } from '../../../libs/messaging/src/idempotency/asking.fixture.ts';
import { PrivateRedis } from '../../support/private-redis.ts';
import { stackForAll } from '../../support/suite-service.ts';
import { claimOf, failed, success, TTL_MS, waitFor, Workers } from './workers.ts';

const stack = stackForAll();
let workers: Workers;

beforeAll(async () => {
  const redis = stack.use(await PrivateRedis.start());
  workers = stack.use(new Workers(redis.url));
});

type Pair = readonly [IdempotencyStore, IdempotencyStore];

async function twice(store: IdempotencyStore | Promise<IdempotencyStore>): Promise<Pair> {
  return [await store, await store];
}

const STORES: [string, () => Promise<Pair>][] = [
  ['of one worker', () => twice(new MemoryIdempotencyStore(TTL_MS, Date.now))],
  ['of one worker with Redis', () => twice(workers.join())],
  ['of two workers', () => Promise.all([workers.join(), workers.join()])],
  ['of a worker whose Redis is away', () => twice(stack.use(new Workers('redis://127.0.0.1:1')).start())],
];

describe.each(STORES)('identities %s', (_, create) => {
  let one: IdempotencyStore;
  let two: IdempotencyStore;
  let id: string;

  beforeAll(async () => void ([one, two] = await create()));
  beforeEach(() => void (id = randomUUID()));

  const claim = async (identity: string, fingerprint = 'f') => two.claim(identity, asking(fingerprint));

  it.each([
    ['a success', success('s-1')],
    ['a failure that is not retryable', failed('NICKNAME_TAKEN')],
    ['an expiry after the platform was called', failed('COMMAND_EXPIRED', { called: true })],
  ])('replays %s', async (__, reply) => {
    await (await claimOf(one, id)).settle(reply);
    expect(await claim(id)).toMatchObject({ kind: 'settled', reply });
  });

  it('gives waiting repeats the reply of the first command', async () => {
    const first = await claimOf(one, id);
    const repeats = await Promise.all([waitFor(two, id), waitFor(two, id)]);
    await first.settle(success('s-2'));
    for (const { outcome } of repeats) expect(await outcome).toEqual(success('s-2'));
  });

  describe.each([
    ['a retryable failure', failed('PLATFORM_UNAVAILABLE')],
    ['an expiry before the platform was called', failed('COMMAND_EXPIRED', { called: false })],
  ])('for %s', (__, reply) => {
    it('give it to the waiting repeats, and release the identity', async () => {
      const first = await claimOf(one, id);
      const repeat = await waitFor(two, id);
      await first.settle(reply);
      expect(await repeat.outcome).toEqual(reply);
      await (await claimOf(two, id)).settle(success('s-3'));
      expect(await claim(id)).toMatchObject({ kind: 'settled', reply: success('s-3') });
    });

    it('give it to the same message when it is redelivered, and to no other', async () => {
      const redelivered = (fingerprint: string) =>
        two.claim(id, asking(fingerprint), { isRedelivered: true });
      await (await claimOf(one, id)).settle(reply);
      expect(await redelivered('f')).toEqual({ kind: 'settled', reply });
      expect(await redelivered('f')).toEqual({ kind: 'settled', reply });
      expect((await redelivered('other data')).kind).toBe('claimed');
    });
  });

  it('releases an identity that ended without an outcome, and lets a waiting repeat claim it', async () => {
    const first = await claimOf(one, id);
    const repeat = await waitFor(two, id);
    await first.release();
    expect(await repeat.outcome).toBeUndefined();
    await (await claimOf(two, id)).settle(success('s-1'));
    expect(await claim(id)).toMatchObject({ kind: 'settled', reply: success('s-1') });
  });

  it('recognise a repeat whose members are in another order', async () => {
    const type = 'session.create';
    const repeated = { type, data: { nick: 'Ace', userId: 'p-1' } };
    const first = await claimOf(one, id, { type, data: { userId: 'p-1', nick: 'Ace' } });
    const repeat = await waitFor(two, id, {}, repeated);
    await first.settle(success('s-5'));
    expect(await repeat.outcome).toEqual(success('s-5'));
    expect(await two.claim(id, repeated)).toMatchObject({ kind: 'settled', reply: success('s-5') });
  });

  it('reports a conflict while the first command is in flight, and after it', async () => {
    const first = await claimOf(one, id);
    expect(await claim(id, 'other data')).toEqual({ kind: 'conflict' });
    await first.settle(success('s-4'));
    expect(await claim(id, 'other data')).toEqual({ kind: 'conflict' });
    expect(await claim(id)).toMatchObject({ kind: 'settled' });
  });

  it('separates identities, and gives each one to one of many concurrent claims', async () => {
    expect(await claim(randomUUID())).toMatchObject({ kind: 'claimed' });
    const claims = await Promise.all(
      Array.from({ length: 50 }, async (__, n) => (n % 2 ? one : two).claim(id, asking('f'))),
    );
    expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === 'in flight')).toHaveLength(49);
  });
});
