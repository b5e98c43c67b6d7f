import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import { commandOf, copiedCommandOf } from '../command/command.fixture.ts';
import type { Command } from '../command/command.ts';
import { BUS_OF_SPEC } from '../envelope/bus.fixture.ts';
import { Quarantine } from './quarantine.ts';
import type { Settlement } from '../command/settlement.ts';

const BUS = { ...BUS_OF_SPEC, nowMs: () => Date.now(), clock: () => performance.now() };
const QUEUE = 'poker.quarantine';
const HOUR_MS = 3_600_000;
const KILLER = 'killer';

/** Workers that are restarted when they die, and their quarantine queue. */
class Scene {
  /** By id: the headers of the copy, and whether it was delivered before. */
  readonly queue = new Map<string, { headers: Record<string, unknown>; redelivered: boolean }>();
  readonly answered = new Map<string, string>();
  readonly starts: string[] = [];
  deaths = 0;
  readonly #workers: Quarantine[];
  /** Which of them holds a message. */
  readonly #holders = new Map<string, Quarantine>();
  #deliveries = 0;

  constructor(
    ids: readonly string[],
    readonly platformMs: number,
    readonly killsAfterMs: number,
    workers = 1,
  ) {
    this.#workers = Array.from({ length: workers }, () => new Quarantine(BUS));
    for (const id of ids) this.queue.set(id, { headers: {}, redelivered: false });
    for (const id of ids) this.#deliver(id);
  }

  #deliver(id: string): void {
    const message = this.queue.get(id)!;
    const { headers, redelivered } = message;
    message.redelivered = true;
    const quarantine = this.#workers[(this.#deliveries += 1) % this.#workers.length]!;
    this.#holders.set(id, quarantine);
    const command = copiedCommandOf({
      queue: QUEUE,
      redelivered,
      properties: { messageId: id },
      headers: { ...headers, 'x-deadline': Date.now() + HOUR_MS / 4 },
    });
    const admitted = quarantine.admit(command);
    const settle = (settlement: Settlement | undefined): void => {
      if (quarantine !== this.#holders.get(id)) return;
      if (settlement?.kind !== 'move') return this.#run(id, command);
      this.queue.set(id, { headers: { ...settlement.copy.headers }, redelivered: false });
      command.end(settlement);
      this.#deliver(id);
    };
    if (!(admitted instanceof Promise)) return settle(admitted);
    admitted.then(settle, (error: { code: string }) => {
      if (quarantine !== this.#holders.get(id)) return;
      this.queue.delete(id);
      this.answered.set(id, error.code);
    });
  }

  #run(id: string, command: Command): void {
    this.starts.push(id);
    const worker = this.#holders.get(id)!;
    const isKiller = id === KILLER;
    setTimeout(
      () => {
        if (worker !== this.#holders.get(id)) return;
        if (isKiller) return this.#die(worker);
        this.queue.delete(id);
        this.answered.set(id, 'session.created');
        command.end({ kind: 'return', cause: undefined });
      },
      isKiller ? this.killsAfterMs : this.platformMs,
    );
  }

  #die(worker: Quarantine): void {
    this.deaths += 1;
    this.#workers[this.#workers.indexOf(worker)] = new Quarantine(BUS);
    for (const id of this.queue.keys()) if (this.#holders.get(id) === worker) this.#deliver(id);
  }
}

const harmless = (count: number) => Array.from({ length: count }, (_, index) => `harmless-${index}`);

beforeEach(() => void jest.useFakeTimers({ now: BUS_OF_SPEC.nowMs() }));
afterEach(() => void jest.useRealTimers());

describe('Quarantine', () => {
  it('starts sixty within a second, and has all answered', async () => {
    const scene = new Scene(harmless(60), 1_500, 0);
    await jest.advanceTimersByTimeAsync(1_500);
    expect(scene.starts).toHaveLength(60);
    await jest.advanceTimersByTimeAsync(1_500);
    expect(scene.answered.size).toBe(60);
  });

  it.each([0, 30, 60])('finds a killer at place %i of 61 in 2 deaths, all others answered', async (place) => {
    const ids = harmless(60).toSpliced(place, 0, KILLER);
    const scene = new Scene(ids, 1_500, 20);
    await jest.advanceTimersByTimeAsync(9_000);
    const types = [...scene.answered].filter(([id]) => id !== KILLER).map(([, type]) => type);
    expect(types).toEqual(Array.from({ length: 60 }, () => 'session.created'));
    await jest.advanceTimersByTimeAsync(9_000);
    expect(scene.answered.get(KILLER)).toBe('POISON_COMMAND');
    expect(scene.deaths).toBeLessThanOrEqual(5);
  });

  it.each([
    [20, 1_500, 800],
    [1, 60_000, 14_000],
    [4, 20_000, 10_000],
    // They hang: nothing waits for them.
    [5, HOUR_MS / 5, 20],
  ])('finds beside %i of %i ms a killer of %i ms, and blames nobody else', async (count, ofMs, killsMs) => {
    const scene = new Scene(harmless(count).toSpliced(10, 0, KILLER), ofMs, killsMs);
    await jest.advanceTimersByTimeAsync(ofMs < HOUR_MS / 5 ? 240_000 : 60_000);
    const blamed = [...scene.answered].filter(([, type]) => type === 'POISON_COMMAND').map(([id]) => id);
    expect([blamed, scene.answered.size]).toEqual([[KILLER], ofMs < HOUR_MS / 5 ? count + 1 : 1]);
  });

  it('finds a killer at any time that a call may take, beside any number, over any workers', async () => {
    const scenes = fc.record({
      platformMs: fc.integer({ min: 20, max: 5_000 }),
      workers: fc.integer({ min: 1, max: 3 }),
      place: fc.nat(20),
    });
    await fc.assert(
      fc.asyncProperty(scenes, async ({ platformMs, workers, place }) => {
        const scene = new Scene(harmless(20).toSpliced(place, 0, KILLER), platformMs, 20, workers);
        await jest.advanceTimersByTimeAsync(60_000);
        const types = harmless(20).map((id) => scene.answered.get(id));
        expect(types).toEqual(types.map(() => 'session.created'));
        expect(scene.answered.get(KILLER)).toBe('POISON_COMMAND');
        const calls = harmless(20).map((id) => scene.starts.filter((start) => start === id).length);
        expect(Math.max(...calls)).toBeLessThanOrEqual(4);
        // Three more were in its lane.
        expect(scene.deaths).toBeLessThanOrEqual(9);
      }),
      {
        numRuns: 30,
        examples: [
          [{ platformMs: 4_000, workers: 1, place: 10 }],
          [{ platformMs: 4_000, workers: 3, place: 20 }],
        ],
      },
    );
  });

  it('runs a start that comes back to it, unless another process had it in between', async () => {
    const quarantine = new Quarantine(BUS);
    const delivered = (times: number) =>
      quarantine.admit(
        copiedCommandOf({
          queue: QUEUE,
          redelivered: times > 0,
          headers: { 'x-quarantine-level': 2, 'x-quarantine-started-at': 1, 'x-delivery-count': times },
        }),
      );
    for (let times = 0; times < 8; times += 1) expect(delivered(times)).toBeUndefined();
    const counted = delivered(9) as Promise<Settlement & { kind: 'move' }>;
    await jest.advanceTimersByTimeAsync(300);
    expect((await counted).copy.headers).toMatchObject({ 'x-quarantine-starts': 1, 'x-quarantine-cuts': 1 });
  });

  it('finds a killer if the time of day is set back meanwhile', async () => {
    const scene = new Scene([...harmless(5), KILLER], 1_500, 20);
    await jest.advanceTimersByTimeAsync(1_300);
    jest.setSystemTime(Date.now() - HOUR_MS / 6);
    await jest.advanceTimersByTimeAsync(18_000);
    expect([...scene.answered.values()].sort()).toEqual([
      'POISON_COMMAND',
      ...harmless(5).map(() => 'session.created'),
    ]);
  });

  it('runs a start, and starts another one alone, only once its original is acknowledged: a killer would leave two of itself', async () => {
    const quarantine = new Quarantine(BUS);
    const copy = (messageId: string, headers: object) =>
      copiedCommandOf({ queue: QUEUE, properties: { messageId }, headers: { ...headers } });
    const alone = { 'x-quarantine-level': 2, 'x-quarantine-cuts': 4, 'x-sequence': 5 };
    const original = copy('first', alone);
    const starting = quarantine.admit(original) as Promise<Settlement & { kind: 'move' }>;
    const done: string[] = [];
    void (quarantine.admit(copy('second', alone)) as Promise<unknown>).then(() => done.push('second'));
    await jest.advanceTimersByTimeAsync(300);
    const start = await starting;
    expect(start.copy.headers).toMatchObject({ 'x-sequence': 5 });
    const run = quarantine.admit(copy('first', start.copy.headers ?? {}));
    void Promise.resolve(run).then((settlement) => done.push(`run ${settlement}`));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(done).toEqual([]);
    original.end(start);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(done).toEqual(['run undefined']);
  });

  it('has a command run that has expired while it waited, so that it is answered', async () => {
    const command = commandOf({ queue: QUEUE, headers: { 'x-deadline': Date.now() + 100 } }, BUS);
    const admitted = new Quarantine(BUS).admit(command);
    await jest.advanceTimersByTimeAsync(101);
    expect(await admitted).toBeUndefined();
  });
});
