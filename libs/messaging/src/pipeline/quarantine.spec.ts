import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import { commandOf, copiedCommandOf } from '../command/command.fixture.ts';
import type { Command } from '../command/command.ts';
import { BUS_OF_SPEC } from '../envelope/bus.fixture.ts';
import { Quarantine } from './quarantine.ts';
import type { Settlement } from '../command/settlement.ts';

const BUS = { ...BUS_OF_SPEC, nowMs: () => Date.now(), clock: () => performance.now() };
/** No process reports that it survived the loss of its connection. */
const NOBODY = { report: () => Promise.resolve(), isReported: () => Promise.resolve(false) };
const QUEUE = 'poker.quarantine';
const HOUR_MS = 3_600_000;
const KILLER = 'killer';

/** Workers, each of which is replaced when it dies, and their quarantine queue. */
class Scene {
  /** Keyed by id: the headers of the copy, and whether it was delivered before. */
  readonly queue = new Map<string, { headers: Record<string, unknown>; redelivered: boolean }>();
  readonly answered = new Map<string, string>();
  readonly starts: string[] = [];
  deaths = 0;
  /** When the last harmless command was answered, in milliseconds from the beginning. */
  lastMs = 0;
  readonly #beganMs = performance.now();
  /** Oldest first; the oldest one receives all messages. */
  readonly #workers: Quarantine[];
  /** The worker that holds each message. */
  readonly #holders = new Map<string, Quarantine>();

  constructor(
    ids: readonly string[],
    readonly platformMs: number,
    readonly killsAfterMs: number,
    workers = 1,
  ) {
    this.#workers = Array.from({ length: workers }, () => new Quarantine(BUS, NOBODY));
    for (const id of ids) this.queue.set(id, { headers: {}, redelivered: false });
    for (const id of ids) this.#deliver(id);
  }

  /** Returns the types of the answers; undefined for commands without an answer. */
  typesOf(ids: readonly string[]): Set<string | undefined> {
    return new Set(ids.map((id) => this.answered.get(id)));
  }

  #deliver(id: string): void {
    const message = this.queue.get(id)!;
    const { headers, redelivered } = message;
    message.redelivered = true;
    const quarantine = this.#workers[0]!;
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
        this.lastMs = performance.now() - this.#beganMs;
        command.end({ kind: 'return', cause: undefined });
      },
      isKiller ? this.killsAfterMs : this.platformMs,
    );
  }

  #die(worker: Quarantine): void {
    this.deaths += 1;
    this.#workers.splice(this.#workers.indexOf(worker), 1);
    this.#workers.push(new Quarantine(BUS, NOBODY));
    for (const id of this.queue.keys()) if (this.#holders.get(id) === worker) this.#deliver(id);
  }
}

const harmless = (count: number) => Array.from({ length: count }, (_, index) => `harmless-${index}`);

beforeEach(() => void jest.useFakeTimers({ now: BUS_OF_SPEC.nowMs() }));
afterEach(() => void jest.useRealTimers());

describe('Quarantine', () => {
  it('starts sixty commands within a second, and all are answered', async () => {
    const scene = new Scene(harmless(60), 1_500, 0);
    await jest.advanceTimersByTimeAsync(1_500);
    expect(scene.starts).toHaveLength(60);
    await jest.advanceTimersByTimeAsync(1_500);
    expect(scene.answered.size).toBe(60);
  });

  it.each([0, 30, 60])(
    'finds a killer at place %i of 61 after 4 deaths, and all others are answered',
    async (place) => {
      const ids = harmless(60).toSpliced(place, 0, KILLER);
      const scene = new Scene(ids, 1_500, 20);
      await jest.advanceTimersByTimeAsync(18_000);
      expect(scene.typesOf(harmless(60))).toEqual(new Set(['session.created']));
      expect(scene.answered.get(KILLER)).toBe('POISON_COMMAND');
      expect(scene.deaths).toBeLessThanOrEqual(4);
    },
  );

  it.each([
    [20, 1_500, 800],
    [1, 60_000, 14_000],
    [4, 20_000, 10_000],
    // These calls hang, so no other command waits for them.
    [5, HOUR_MS / 5, 20],
  ])(
    'finds, among %i commands of %i ms, a killer that takes %i ms, and blames no other',
    async (count, ofMs, killsMs) => {
      const scene = new Scene(harmless(count).toSpliced(10, 0, KILLER), ofMs, killsMs);
      await jest.advanceTimersByTimeAsync(ofMs < HOUR_MS / 5 ? 240_000 : 60_000);
      const blamed = [...scene.answered].filter(([, type]) => type === 'POISON_COMMAND').map(([id]) => id);
      expect([blamed, scene.answered.size]).toEqual([[KILLER], ofMs < HOUR_MS / 5 ? count + 1 : 1]);
    },
  );

  it('finds a killer at any platform time and kill time, with few deaths and calls, and soon', async () => {
    const scenes = fc.record({
      platformMs: fc.integer({ min: 20, max: 5_000 }),
      killsMs: fc.constantFrom<number[]>(20, 140, 300, 500, 650, 800, 2_500),
      workers: fc.integer({ min: 1, max: 3 }),
      count: fc.constantFrom<number[]>(5, 20, 60),
      place: fc.nat(60),
    });
    const property = fc.asyncProperty(scenes, async ({ platformMs, killsMs, workers, count, place }) => {
      const scene = new Scene(harmless(count).toSpliced(place, 0, KILLER), platformMs, killsMs, workers);
      await jest.advanceTimersByTimeAsync(400_000);
      expect(scene.typesOf(harmless(count))).toEqual(new Set(['session.created']));
      expect(scene.answered.get(KILLER)).toBe('POISON_COMMAND');
      const calls = harmless(count).map((id) => scene.starts.filter((start) => start === id).length);
      expect(Math.max(...calls)).toBeLessThanOrEqual(4);
      // Three more deaths happened in the lane.
      expect(scene.deaths).toBeLessThanOrEqual(9);
      // Among 61 commands, at most seven groups run before the killer is found.
      expect(scene.lastMs).toBeLessThanOrEqual(10 * platformMs + 10_000);
    });
    const quick = { killsMs: 20, place: 10, count: 60 };
    const examples = [
      { ...quick, platformMs: 4_000, workers: 1 },
      { ...quick, platformMs: 4_000, workers: 3 },
      { ...quick, platformMs: 1_500, workers: 1, killsMs: 650 },
      { ...quick, platformMs: 5_000, workers: 1, killsMs: 2_500, place: 0 },
      { ...quick, platformMs: 5_000, workers: 1, killsMs: 2_500, place: 15 },
    ];
    await fc.assert(property, { numRuns: 20, examples: examples.map((scene) => [scene]) });
  });

  it('finds a killer even if the time of day is set back', async () => {
    const scene = new Scene([...harmless(5), KILLER], 1_500, 20);
    await jest.advanceTimersByTimeAsync(1_300);
    jest.setSystemTime(Date.now() - HOUR_MS / 6);
    await jest.advanceTimersByTimeAsync(18_000);
    expect([...scene.answered.values()].sort()).toEqual([
      'POISON_COMMAND',
      ...harmless(5).map(() => 'session.created'),
    ]);
  });

  it('runs a start only after its original is acknowledged, so that a killer does not leave two copies', async () => {
    const quarantine = new Quarantine(BUS, NOBODY);
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

  it('runs a command that expired while it waited, so that it is answered', async () => {
    const command = commandOf({ queue: QUEUE, headers: { 'x-deadline': Date.now() + 100 } }, BUS);
    const admitted = new Quarantine(BUS, NOBODY).admit(command);
    await jest.advanceTimersByTimeAsync(101);
    expect(await admitted).toBeUndefined();
  });
});
