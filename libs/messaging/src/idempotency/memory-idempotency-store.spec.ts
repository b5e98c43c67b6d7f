import { describe, expect, it } from '@jest/globals';

import type { Reply } from '#contracts';

import { asking } from './asking.fixture.ts';
import { MemoryIdempotencyStore } from './memory-idempotency-store.ts';

// test/integration/idempotency/contract.spec.ts tests what every store promises.

const TTL_MS = 60_000;
const MIB = 1024 * 1024;

const created = (auth = 'a'): Reply => ({
  type: 'session.created',
  data: { userId: 'p-1', sessionId: 's-1', auth, redirectUrl: 'https://play.example' },
});
/** The memory of one outcome, including its expiry time of eight bytes. */
const OUTCOME_BYTES = 512 + 8 + JSON.stringify([...Object.values(asking('f')), created()]).length;

/** A store in which callers run numbered commands. */
class Callers {
  nowMs = 0;
  readonly store: MemoryIdempotencyStore;
  /** The number of commands that each caller ran. */
  readonly #ran = new Map<string, number>();

  /** @param capacity maximum of outcomes; default: 64 MiB */
  constructor(capacity?: number) {
    const maxBytes = capacity && capacity * OUTCOME_BYTES;
    this.store = new MemoryIdempotencyStore(TTL_MS, () => this.nowMs, maxBytes);
  }

  run(caller: string, from: number, to: number, reply = created()): void {
    this.#ran.set(caller, to);
    for (let n = from; n < to; n += 1) this.claim(caller, n)(reply);
  }

  /** @returns a function that settles the claim */
  claim(caller: string, n: number): (reply: Reply) => void {
    const claim = this.store.claim(`${caller} ${n}`, asking('f'), { caller });
    if (claim.kind !== 'claimed') throw new Error(`the claim is ${claim.kind}`);
    return (reply) => void claim.settle(reply);
  }

  /** Returns how many of the caller's newest commands would be replayed. */
  remembered(caller: string): number {
    const to = this.#ran.get(caller) ?? 0;
    let n = to;
    while (n > 0 && this.isReplayed(caller, n - 1)) n -= 1;
    return to - n;
  }

  isReplayed(caller: string, n: number): boolean {
    const claim = this.store.claim(`${caller} ${n}`, asking('f'), { caller });
    if (claim.kind === 'claimed') void claim.release();
    return claim.kind === 'settled';
  }
}

describe('MemoryIdempotencyStore', () => {
  it('counts an outcome once if a later one of the same command replaces it', () => {
    const callers = new Callers(3);
    callers.run('shop', 0, 1);
    const failed = { type: 'command.failed', data: { retryable: true } } as Reply;
    for (let time = 0; time < 10; time += 1) callers.claim('shop', 1)(failed);
    expect(callers.isReplayed('shop', 0)).toBe(true);
  });

  it('keeps an outcome for its TTL after it was settled, however often it is replayed', () => {
    const callers = new Callers();
    const settle = callers.claim('shop', 0);
    callers.nowMs = 10 * TTL_MS;
    expect(callers.store.claim('shop 0', asking('f')).kind).toBe('in flight');
    settle(created());
    for (const lookMs of [1, TTL_MS / 2, TTL_MS - 1]) {
      callers.nowMs = 10 * TTL_MS + lookMs;
      expect(callers.isReplayed('shop', 0)).toBe(true);
    }
    callers.nowMs += 1;
    expect(callers.store.claim('shop 0', asking('other data'), { caller: 'shop' }).kind).toBe('claimed');
  });

  it('never drops commands in flight, and dates an outcome by when it was settled', () => {
    const callers = new Callers(1_000);
    const settle = callers.claim('shop', 0);
    callers.claim('shop', 1);
    callers.run('shop', 2, 1_002);
    settle(created());
    expect([0, 2, 3].map((n) => callers.isReplayed('shop', n))).toEqual([true, false, true]);
    expect(callers.store.claim('shop 1', asking('f'), { caller: 'shop' }).kind).toBe('in flight');
  });
});

describe('MemoryIdempotencyStore shared by callers', () => {
  it('forgets no outcome of other callers during a flood of one', () => {
    const callers = new Callers(1_000);
    callers.run('shop', 0, 100);
    callers.run('loud', 0, 10_000);
    expect(callers.remembered('shop')).toBe(100);
    expect(callers.remembered('loud')).toBe(900);
  });

  it('gives two floods equal shares, and a later caller its own', () => {
    const callers = new Callers(1_000);
    callers.run('first', 0, 5_000);
    callers.run('second', 0, 5_000);
    expect(callers.remembered('first')).toBeCloseTo(500, -1);
    expect(callers.remembered('second')).toBeCloseTo(500, -1);
    callers.run('shop', 0, 200);
    callers.run('first', 5_000, 10_000);
    expect(callers.remembered('shop')).toBe(200);
    expect(callers.remembered('second')).toBeCloseTo(400, -1);
  });

  it('keeps 64 MiB, and drops the long replies of one caller first', () => {
    const callers = new Callers();
    callers.run('shop', 0, 1_000);
    callers.run('loud', 0, 150, created('x'.repeat(MIB)));
    expect(callers.remembered('shop')).toBe(1_000);
    expect(callers.remembered('loud')).toBeLessThanOrEqual(64);
    expect(callers.remembered('loud')).toBeGreaterThan(56);
  });
});
