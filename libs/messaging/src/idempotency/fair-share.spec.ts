import { describe, expect, it } from '@jest/globals';

import type { Reply } from '#contracts';

import { MemoryIdempotencyStore } from './memory-idempotency-store.ts';

const TTL_MS = 60_000;
const DEFAULT_CAPACITY = 100_000;
const MIB = 1024 * 1024;

/** A store in which callers run numbered commands. */
class Callers {
  nowMs = 0;
  readonly #store: MemoryIdempotencyStore;
  /** How many commands each caller ran. */
  readonly #ran = new Map<string, number>();

  constructor(capacity?: number) {
    this.#store = new MemoryIdempotencyStore(TTL_MS, () => this.nowMs, capacity);
  }

  run(caller: string, from: number, to: number, auth = 'a'): void {
    const data = { userId: 'p-1', sessionId: 's-1', auth, redirectUrl: 'https://play.example' };
    const reply: Reply = { type: 'session.created', data };
    this.#ran.set(caller, to);
    for (let n = from; n < to; n += 1) {
      const claim = this.#store.claim(`${caller} ${n}`, 'f', { caller });
      if (claim.kind !== 'claimed') throw new Error(`the claim is ${claim.kind}`);
      void claim.settle(reply);
    }
  }

  /** How many of its commands a caller would have replayed: the newest. */
  remembered(caller: string): number {
    const to = this.#ran.get(caller) ?? 0;
    let n = to;
    while (n > 0 && this.isReplayed(caller, n - 1)) n -= 1;
    return to - n;
  }

  isReplayed(caller: string, n: number): boolean {
    const claim = this.#store.claim(`${caller} ${n}`, 'f', { caller });
    if (claim.kind === 'claimed') void claim.release();
    return claim.kind === 'settled';
  }
}

describe('MemoryIdempotencyStore shared by callers', () => {
  it.each([
    [1_000, 10_000],
    [DEFAULT_CAPACITY, 101_000],
  ])('with room for %d forgets none of the others in a flood of %d by one', (capacity, flood) => {
    const callers = new Callers(capacity === DEFAULT_CAPACITY ? undefined : capacity);
    callers.run('shop', 0, 100);
    callers.run('loud', 0, flood);
    expect(callers.remembered('shop')).toBe(100);
    expect(callers.remembered('loud')).toBe(capacity - 100);
    expect([callers.isReplayed('loud', flood - 1), callers.isReplayed('loud', 0)]).toEqual([true, false]);
    callers.nowMs = TTL_MS - 1;
    expect(callers.isReplayed('shop', 0)).toBe(true);
  });

  it('gives two floods the same share, and a caller that comes later its own', () => {
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

  it('gives all of the room to one caller that is alone, and all of it back when its time is over', () => {
    const callers = new Callers(1_000);
    callers.run('first', 0, 1_000);
    expect(callers.remembered('first')).toBe(1_000);
    callers.nowMs = TTL_MS;
    callers.run('second', 0, 1_000);
    expect(callers.remembered('second')).toBe(1_000);
  });

  it('drops for long replies those of the caller that has the most bytes', () => {
    const callers = new Callers();
    callers.run('shop', 0, 1_000);
    callers.run('loud', 0, 300, 'x'.repeat(MIB));
    expect(callers.remembered('shop')).toBe(1_000);
    expect(callers.remembered('loud')).toBeLessThanOrEqual(128);
    expect(callers.remembered('loud')).toBeGreaterThan(120);
  });

  it('has room for a thousand callers with one command each', () => {
    const callers = new Callers();
    for (let n = 0; n < 1_000; n += 1) callers.run(`caller-${n}`, 0, 1);
    for (let n = 0; n < 1_000; n += 1) expect(callers.isReplayed(`caller-${n}`, 0)).toBe(true);
  });
});
