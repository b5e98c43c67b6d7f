import { describe, expect, it } from '@jest/globals';

import { CommandError, type ErrorCode, type Reply } from '#contracts';

import { type Claim, isKept } from './idempotency-store.ts';
import { MemoryIdempotencyStore } from './memory-idempotency-store.ts';

const TTL_MS = 60_000;
const MAX_IDENTITIES = 100_000;

const created = (sessionId: string): Reply => ({
  type: 'session.created',
  data: { userId: 'p-1', sessionId, auth: 'a', redirectUrl: 'https://play.example' },
});
function failed(code: ErrorCode, details = {}): Reply {
  const { category, retryable, message } = new CommandError(code);
  const command = { id: 'm-1', type: 'session.create' };
  const occurredAt = '2026-01-31T12:00:00.000Z';
  const data = { code, category, retryable, message, details, attempts: 0, command, occurredAt };
  return { type: 'command.failed', data };
}
const REPLY = created('s-1');

function storeAt(startMs: number, maxIdentities?: number) {
  const clock = { nowMs: startMs };
  return { clock, store: new MemoryIdempotencyStore(TTL_MS, () => clock.nowMs, maxIdentities) };
}

async function settle(claim: Claim, reply: Reply): Promise<void> {
  if (claim.kind !== 'claimed') throw new Error(`the claim is ${claim.kind}`);
  await claim.settle(reply);
}

describe('MemoryIdempotencyStore', () => {
  it('gives an identity to the first command', () => {
    const { store } = storeAt(0);
    expect(store.claim('a', 'f')).toMatchObject({ kind: 'claimed' });
    expect(store.claim('b', 'f')).toMatchObject({ kind: 'claimed' });
  });

  it('lets all repeats wait for the outcome of the first', async () => {
    const { store } = storeAt(0);
    const first = store.claim('a', 'f');
    const others = [store.claim('a', 'f'), store.claim('a', 'f')];
    await settle(first, REPLY);
    for (const other of others) {
      if (other.kind !== 'in flight') throw new Error(`the claim is ${other.kind}`);
      expect(await other.outcome).toBe(REPLY);
    }
  });

  it('is in flight for as long as it takes, longer than an outcome is kept', () => {
    const { clock, store } = storeAt(0);
    store.claim('a', 'f');
    clock.nowMs += 10 * TTL_MS;
    expect(store.claim('a', 'f').kind).toBe('in flight');
  });

  it('replays an outcome until its time is over', async () => {
    const { clock, store } = storeAt(0);
    const first = store.claim('a', 'f');
    clock.nowMs = 1_000;
    await settle(first, REPLY);
    clock.nowMs += TTL_MS - 1;
    expect(store.claim('a', 'f')).toMatchObject({ kind: 'settled', reply: REPLY });
    clock.nowMs += 1;
    expect(store.claim('a', 'f').kind).toBe('claimed');
  });

  it('does not keep an outcome longer because it is replayed', async () => {
    const { clock, store } = storeAt(0);
    await settle(store.claim('a', 'f'), REPLY);
    for (let looks = 0; looks < 3; looks += 1) {
      clock.nowMs += TTL_MS / 3;
      if (looks < 2) expect(store.claim('a', 'f').kind).toBe('settled');
    }
    expect(store.claim('a', 'f').kind).toBe('claimed');
  });

  it('finds a conflict with other data, in flight and settled, and none when its time is over', async () => {
    const { clock, store } = storeAt(0);
    const first = store.claim('a', 'f');
    expect(store.claim('a', 'g')).toEqual({ kind: 'conflict' });
    await settle(first, REPLY);
    expect(store.claim('a', 'g')).toEqual({ kind: 'conflict' });
    clock.nowMs += TTL_MS;
    expect(store.claim('a', 'g').kind).toBe('claimed');
  });

  it('is not changed by a conflict', async () => {
    const { store } = storeAt(0);
    await settle(store.claim('a', 'f'), REPLY);
    store.claim('a', 'g');
    expect(store.claim('a', 'f')).toMatchObject({ kind: 'settled', reply: REPLY });
  });

  it.each(['PLATFORM_UNAVAILABLE', 'OUTCOME_UNKNOWN', 'CIRCUIT_OPEN'] as const)(
    'releases the identity after %s, and gives it to the repeats that waited',
    async (code) => {
      const { store } = storeAt(0);
      const first = store.claim('a', 'f');
      const other = store.claim('a', 'f');
      await settle(first, failed(code));
      expect(other.kind === 'in flight' && (await other.outcome)).toEqual(failed(code));
      expect(store.claim('a', 'g').kind).toBe('claimed');
    },
  );

  it.each([
    ['a reply that it does not keep', REPLY],
    ['nothing', undefined],
  ])('frees an identity that its owner releases, and gives the repeats that waited %s', async (_, reply) => {
    const { store } = storeAt(0);
    const first = store.claim('a', 'f');
    const other = store.claim('a', 'f');
    if (first.kind !== 'claimed' || other.kind !== 'in flight')
      throw new Error(`${first.kind}, ${other.kind}`);
    await first.release(reply);
    expect(await other.outcome).toBe(reply);
    expect(store.claim('a', 'g').kind).toBe('claimed');
  });

  it.each(['NICKNAME_TAKEN', 'COMMAND_EXPIRED', 'INTERNAL_ERROR'] as const)('keeps %s', async (code) => {
    const { store } = storeAt(0);
    await settle(store.claim('a', 'f'), failed(code));
    expect(store.claim('a', 'f')).toMatchObject({ kind: 'settled', reply: failed(code) });
  });

  it('keeps at most 100,000 identities; the oldest outcomes go first', async () => {
    const { store } = storeAt(0);
    for (let index = 0; index < MAX_IDENTITIES; index += 1) {
      await settle(store.claim(`${index}`, 'f'), REPLY);
    }
    expect(store.claim('0', 'f').kind).toBe('settled');
    store.claim('one more', 'f');
    expect(store.claim('1', 'f').kind).toBe('settled');
    expect(store.claim('0', 'f').kind).toBe('claimed');
  });

  it('keeps at most 128 MiB of replies; the oldest outcomes go first, and give their room back', async () => {
    const { store } = storeAt(0);
    const longText = 'x'.repeat(1024 * 1024);
    for (let index = 0; index < 127; index += 1) {
      await settle(store.claim(`${index}`, 'f'), created(longText));
    }
    store.claim('within', 'f');
    expect(store.claim('0', 'f').kind).toBe('settled');
    await settle(store.claim('one more', 'f'), created(longText));
    store.claim('beyond', 'f');
    expect(store.claim('1', 'f').kind).toBe('settled');
    expect(store.claim('0', 'f').kind).toBe('claimed');
    for (let index = 0; index < 300; index += 1) {
      await settle(store.claim(`small ${index}`, 'f'), REPLY);
    }
    expect(store.claim('1', 'f').kind).toBe('settled');
  });

  it('takes the time of the outcome for its age, and never drops what is in flight', async () => {
    const { store } = storeAt(0);
    const late = store.claim('claimed first, settled last', 'f');
    store.claim('in flight', 'f');
    for (let index = 0; index < MAX_IDENTITIES - 2; index += 1) {
      await settle(store.claim(`${index}`, 'f'), REPLY);
    }
    await settle(late, REPLY);
    store.claim('one more', 'f');
    expect(store.claim('claimed first, settled last', 'f').kind).toBe('settled');
    expect(store.claim('in flight', 'f').kind).toBe('in flight');
    expect(store.claim('0', 'f').kind).toBe('claimed');
  });
});

describe('isKept', () => {
  it('of a success is true', () => {
    expect(isKept(REPLY)).toBe(true);
  });

  it.each([
    ['NOT_FOUND', true],
    ['PLATFORM_PROTOCOL_ERROR', true],
    ['OUTCOME_UNKNOWN', false],
    ['RATE_LIMITED', false],
  ] as const)('of %s is %j', (code, expected) => {
    expect(isKept(failed(code))).toBe(expected);
  });

  it.each([true, false])('of a COMMAND_EXPIRED with called %j is the same', (called) => {
    expect(isKept(failed('COMMAND_EXPIRED', { called }))).toBe(called);
  });
});
