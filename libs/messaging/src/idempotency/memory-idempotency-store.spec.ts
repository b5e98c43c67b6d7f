import { describe, expect, it } from '@jest/globals';

import { CommandError, type ErrorCode, type Reply } from '#contracts';

import { commandOf } from '../pipeline/command-in-hand.fixture.ts';
import { errorBodyOf } from '../replies/error-body-of.ts';
import { type Claim, isDecision } from './idempotency-store.ts';
import { MemoryIdempotencyStore } from './memory-idempotency-store.ts';

const TTL_MS = 60_000;
const MAX_IDENTITIES = 100_000;

const created = (sessionId: string): Reply => ({
  type: 'session.created',
  data: { userId: 'p-1', sessionId, auth: 'a', redirectUrl: 'https://play.example' },
});
const failed = (code: ErrorCode): Reply => ({
  type: 'command.failed',
  data: errorBodyOf(new CommandError(code), commandOf(), 0),
});
const REPLY = created('s-1');

function storeAt(startMs: number) {
  const clock = { nowMs: startMs };
  return { clock, store: new MemoryIdempotencyStore(TTL_MS, () => clock.nowMs) };
}

async function settle(claim: Claim, reply: Reply): Promise<void> {
  if (claim.kind !== 'mine') throw new Error(`the claim is ${claim.kind}`);
  await claim.settle(reply);
}

describe('MemoryIdempotencyStore', () => {
  it('gives an identity to the first who asks', () => {
    const { store } = storeAt(0);
    expect(store.claim('a', 'f')).toMatchObject({ kind: 'mine' });
    expect(store.claim('b', 'f')).toMatchObject({ kind: 'mine' });
  });

  it('lets all others wait for the reply of the first', async () => {
    const { store } = storeAt(0);
    const mine = store.claim('a', 'f');
    const others = [store.claim('a', 'f'), store.claim('a', 'f')];
    await settle(mine, REPLY);
    for (const other of others) {
      if (other.kind !== 'under way') throw new Error(`the claim is ${other.kind}`);
      expect(await other.reply).toBe(REPLY);
    }
  });

  it('is under way for as long as it takes, longer than a decision stands', () => {
    const { clock, store } = storeAt(0);
    store.claim('a', 'f');
    clock.nowMs += 10 * TTL_MS;
    expect(store.claim('a', 'f').kind).toBe('under way');
  });

  it('replays what was decided until its time is over', async () => {
    const { clock, store } = storeAt(0);
    const mine = store.claim('a', 'f');
    clock.nowMs = 1_000;
    await settle(mine, REPLY);
    clock.nowMs += TTL_MS - 1;
    expect(store.claim('a', 'f')).toMatchObject({ kind: 'decided', reply: REPLY });
    clock.nowMs += 1;
    expect(store.claim('a', 'f').kind).toBe('mine');
  });

  it('does not prolong a decision by replaying it', async () => {
    const { clock, store } = storeAt(0);
    await settle(store.claim('a', 'f'), REPLY);
    for (let looks = 0; looks < 3; looks += 1) {
      clock.nowMs += TTL_MS / 3;
      if (looks < 2) expect(store.claim('a', 'f').kind).toBe('decided');
    }
    expect(store.claim('a', 'f').kind).toBe('mine');
  });

  it('finds a conflict with other data, under way and decided, and none when its time is over', async () => {
    const { clock, store } = storeAt(0);
    const mine = store.claim('a', 'f');
    expect(store.claim('a', 'g')).toEqual({ kind: 'conflict' });
    await settle(mine, REPLY);
    expect(store.claim('a', 'g')).toEqual({ kind: 'conflict' });
    clock.nowMs += TTL_MS;
    expect(store.claim('a', 'g').kind).toBe('mine');
  });

  it('is not changed by a conflict', async () => {
    const { store } = storeAt(0);
    await settle(store.claim('a', 'f'), REPLY);
    store.claim('a', 'g');
    expect(store.claim('a', 'f')).toMatchObject({ kind: 'decided', reply: REPLY });
  });

  it.each(['PLATFORM_UNAVAILABLE', 'OUTCOME_UNKNOWN', 'CIRCUIT_OPEN'] as const)(
    'releases the identity after %s, and gives it to those who waited',
    async (code) => {
      const { store } = storeAt(0);
      const mine = store.claim('a', 'f');
      const other = store.claim('a', 'f');
      await settle(mine, failed(code));
      expect(other.kind === 'under way' && (await other.reply)).toEqual(failed(code));
      expect(store.claim('a', 'g').kind).toBe('mine');
    },
  );

  it.each([
    ['a reply that it does not keep', REPLY],
    ['nothing', undefined],
  ])('frees an identity that its holder releases, and gives those who waited %s', async (_, reply) => {
    const { store } = storeAt(0);
    const mine = store.claim('a', 'f');
    const other = store.claim('a', 'f');
    if (mine.kind !== 'mine' || other.kind !== 'under way') throw new Error(`${mine.kind}, ${other.kind}`);
    mine.release(reply);
    expect(await other.reply).toBe(reply);
    expect(store.claim('a', 'g').kind).toBe('mine');
  });

  it.each(['NICKNAME_TAKEN', 'COMMAND_EXPIRED', 'INTERNAL_ERROR'] as const)('keeps %s', async (code) => {
    const { store } = storeAt(0);
    await settle(store.claim('a', 'f'), failed(code));
    expect(store.claim('a', 'f')).toMatchObject({ kind: 'decided', reply: failed(code) });
  });

  it('keeps at most 100,000 identities; the oldest decisions go first', async () => {
    const { store } = storeAt(0);
    for (let index = 0; index < MAX_IDENTITIES; index += 1) {
      await settle(store.claim(`${index}`, 'f'), REPLY);
    }
    expect(store.claim('0', 'f').kind).toBe('decided');
    store.claim('one more', 'f');
    expect(store.claim('1', 'f').kind).toBe('decided');
    expect(store.claim('0', 'f').kind).toBe('mine');
  });

  it('keeps at most 128 MiB of replies; the oldest decisions go first, and give their room back', async () => {
    const { store } = storeAt(0);
    const longText = 'x'.repeat(1024 * 1024);
    for (let index = 0; index < 127; index += 1) {
      await settle(store.claim(`${index}`, 'f'), created(longText));
    }
    store.claim('within', 'f');
    expect(store.claim('0', 'f').kind).toBe('decided');
    await settle(store.claim('one more', 'f'), created(longText));
    store.claim('beyond', 'f');
    expect(store.claim('1', 'f').kind).toBe('decided');
    expect(store.claim('0', 'f').kind).toBe('mine');
    for (let index = 0; index < 300; index += 1) {
      await settle(store.claim(`small ${index}`, 'f'), REPLY);
    }
    expect(store.claim('1', 'f').kind).toBe('decided');
  });

  it('takes the time of the decision for its age, and never drops what is under way', async () => {
    const { store } = storeAt(0);
    const late = store.claim('claimed first, decided last', 'f');
    store.claim('under way', 'f');
    for (let index = 0; index < MAX_IDENTITIES - 2; index += 1) {
      await settle(store.claim(`${index}`, 'f'), REPLY);
    }
    await settle(late, REPLY);
    store.claim('one more', 'f');
    expect(store.claim('claimed first, decided last', 'f').kind).toBe('decided');
    expect(store.claim('under way', 'f').kind).toBe('under way');
    expect(store.claim('0', 'f').kind).toBe('mine');
  });
});

describe('isDecision', () => {
  it('takes a success for one', () => {
    expect(isDecision(REPLY)).toBe(true);
  });

  it.each([
    ['NOT_FOUND', true],
    ['PLATFORM_PROTOCOL_ERROR', true],
    ['OUTCOME_UNKNOWN', false],
    ['RATE_LIMITED', false],
  ] as const)('of %s is %j', (code, expected) => {
    expect(isDecision(failed(code))).toBe(expected);
  });
});
