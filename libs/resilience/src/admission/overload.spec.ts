import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import {
  fixedTime,
  type Load,
  servesInLine,
  type SimulatedCommand,
  type SimulatedPlatform,
  Simulation,
  variableTime,
} from './simulation.fixture.ts';

/** The share of all connections that one operation may use. */
const USABLE = 15 / 16;
const CONNECTIONS = 64;
/** By this time, a standing line is detected and a limit is found. */
const SETTLED_MS = 20_000;

// The clock is simulated, so a busy machine changes only how long the tests run.
jest.setTimeout(600_000);

const play = (load: Load) => new Simulation({ connections: CONNECTIONS, ...load }).run();
const one = (perSecond: number) => () => ({ caller: perSecond });
const succeeded = (commands: readonly SimulatedCommand[]) => commands.filter(({ end }) => end === 'success');
const refused = (commands: readonly SimulatedCommand[]) =>
  commands.filter(({ end }) => end !== 'success' && end !== 'late');

function quantile(commands: readonly SimulatedCommand[], share: number): number {
  const times = commands.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b);
  return times[Math.floor(share * (times.length - 1))] ?? 0;
}

/** Returns the successes per second, by the time of their answers, in an interval. */
function goodput(commands: readonly SimulatedCommand[], fromMs: number, toMs: number): number {
  const within = succeeded(commands).filter(
    ({ atMs, tookMs }) => atMs + tookMs >= fromMs && atMs + tookMs < toMs,
  );
  return (1000 * within.length) / (toMs - fromMs);
}

const callsOf = (commands: readonly SimulatedCommand[]) =>
  commands.filter(({ end }) => end === 'success' || end === 'late');

interface Kind {
  readonly name: string;
  readonly platform: () => SimulatedPlatform;
  /** Calls per second that the platform can answer over `CONNECTIONS`. */
  readonly capacity: number;
  readonly aloneMs: number;
}

const fixed = (ms: number): Kind => ({
  name: `a platform of ${ms} ms`,
  platform: () => fixedTime(ms),
  capacity: (1000 * USABLE * CONNECTIONS) / ms,
  aloneMs: ms,
});
const line = (perSecond: number): Kind => ({
  name: `a platform that serves ${perSecond} a second in a line`,
  platform: () => servesInLine(perSecond),
  capacity: perSecond,
  aloneMs: 1000 / perSecond,
});
const variable: Kind = {
  ...fixed(243),
  name: 'a platform of variable time',
  platform: () => variableTime(240),
};
const KINDS = [fixed(200), fixed(1_500), fixed(4_000), line(20), line(100), variable];

describe.each(KINDS)('Admission in front of $name', ({ platform, capacity, aloneMs }) => {
  it.each([1.1, 1.5, 3, 10])('keeps the goodput at capacity at %f times the load', async (times) => {
    const load = { platform: platform(), perSecond: one(times * capacity), forMs: 60_000 };
    const commands = await play(load);
    const calls = callsOf(commands);
    const late = calls.length - succeeded(commands).length;
    const settled = commands.filter(({ atMs }) => atMs > SETTLED_MS);
    expect(goodput(commands, SETTLED_MS, 60_000) / capacity).toBeGreaterThan(0.95);
    expect(late / calls.length).toBeLessThan(0.02);
    expect(quantile(succeeded(settled), 0.5)).toBeLessThan(2 * aloneMs + 1_000);
    expect(quantile(refused(commands), 0.99)).toBeLessThan(1_000);
    const early = commands.filter(({ atMs }) => atMs < SETTLED_MS);
    expect(quantile(refused(early), 0.99)).toBeLessThan(1_000);
  });

  it('recovers within five seconds after the load has fallen', async () => {
    const perSecond = (atMs: number) => ({ caller: (atMs < 30_000 ? 3 : 0.5) * capacity });
    const commands = await play({ platform: platform(), perSecond, forMs: 60_000 });
    const after = commands.filter(({ atMs }) => atMs > 35_000);
    expect(refused(after)).toEqual([]);
    expect(quantile(after, 0.5)).toBeLessThan(1.5 * aloneMs + 50);
  });
});

describe('Admission', () => {
  it('serves a burst that the platform can answer within the deadlines', async () => {
    const perSecond = (atMs: number) => ({ caller: atMs < 500 ? 2_000 : 80 });
    const load = { platform: fixedTime(1_500), perSecond, forMs: 30_000, connections: 256 };
    expect(refused(await play(load))).toEqual([]);
  });

  it('adapts to a platform that is temporarily slow for a reason other than load', async () => {
    const slowMs = (atMs: number) => (atMs > 20_000 && atMs < 80_000 ? 4_000 : 200);
    const commands = await play({
      platform: fixedTime(slowMs),
      perSecond: one(330),
      forMs: 100_000,
    });
    const usable = USABLE * CONNECTIONS;
    const possible = (usable / 0.2) * 40 + (usable / 4) * 60;
    expect(succeeded(commands).length / possible).toBeGreaterThan(0.95);
    expect(goodput(commands, 40_000, 80_000) / (usable / 4)).toBeGreaterThan(0.95);
    expect(succeeded(commands)).toHaveLength(callsOf(commands).length);
  });

  it.each([2, 8])('limits the calls of %i workers to one platform with a fixed rate', async (workers) => {
    const load = { platform: servesInLine(100), perSecond: one(300), forMs: 60_000, workers };
    const commands = await play({ ...load, connections: 256 });
    expect(goodput(commands, SETTLED_MS, 60_000)).toBeGreaterThan(95);
    const settled = commands.filter(({ atMs }) => atMs > SETTLED_MS);
    expect(quantile(succeeded(settled), 0.5)).toBeLessThan(1_500);
  });

  it('finds the limit of a platform with a fixed rate immediately on two cold workers', async () => {
    const load = { platform: servesInLine(20), perSecond: one(200), forMs: 20_000, workers: 2 };
    const commands = await play({ ...load, connections: 256 });
    expect(goodput(commands, 1_000, 20_000)).toBeGreaterThan(19);
    expect(callsOf(commands).length - succeeded(commands).length).toBeLessThan(8);
  });

  const seeds = [1, 2, 3, 4, 5, 6];
  it.each([fixed(1_500), line(20)].flatMap((kind) => seeds.map((seed) => ({ ...kind, seed }))))(
    'preserves the share of a caller in front of $name, with seed $seed',
    async ({ platform, capacity, seed }) => {
      const once = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`once-${index}`, 2]));
      const perSecond = (atMs: number) => ({
        ...(atMs < 1_000 && once),
        many: 10 * capacity,
        few: capacity / 2,
      });
      const commands = await play({ platform: platform(), perSecond, forMs: 60_000, seed });
      const few = commands.filter(({ caller, atMs }) => caller === 'few' && atMs > SETTLED_MS);
      // By chance, it may send more than its share.
      const due = Math.min(few.length, (capacity / 2) * ((60_000 - SETTLED_MS) / 1_000));
      expect(succeeded(few).length / due).toBeGreaterThan(0.9);
    },
  );

  it('makes no calls whose answers would be late, until answers are in time again', async () => {
    const ms = (atMs: number) => (atMs < 40_000 ? 4_000 : 200);
    const perSecond = (atMs: number) => ({
      patient: atMs < 20_000 ? 10 : 0,
      hurried: atMs > 5_000 ? 6 : 0,
    });
    const load = { platform: fixedTime(ms), perSecond, forMs: 70_000, budgetMs: { hurried: 3_000 } };
    const commands = await play(load);
    // The first calls, before there are enough answers for a prediction, and then one call at a time as a
    // probe.
    expect(commands.filter(({ end }) => end === 'late').length).toBeLessThan(10);
    expect(goodput(commands, 55_000, 70_000)).toBeGreaterThan(4);
  });

  it('keeps goodput high and late answers rare over random loads, platforms and deadlines', async () => {
    const property = fc.asyncProperty(
      fc.oneof(fc.integer({ min: 50, max: 4_000 }).map(fixed), fc.integer({ min: 10, max: 60 }).map(line)),
      fc.double({ min: 1.1, max: 10, noNaN: true }),
      fc.integer({ min: 8_000, max: 20_000 }),
      fc.integer({ min: 1, max: 1_000_000 }),
      async ({ platform, capacity, aloneMs }, times, budgetMs, seed) => {
        const connections = 16;
        const possible = Math.min(capacity, (1000 * USABLE * connections) / aloneMs);
        const perSecond = one(times * possible);
        const load = { platform: platform(), perSecond, forMs: 40_000, budgetMs, connections, seed };
        const commands = await play(load);
        const calls = callsOf(commands);
        expect(goodput(commands, SETTLED_MS, 40_000) / possible).toBeGreaterThan(0.8);
        expect((calls.length - succeeded(commands).length) / calls.length).toBeLessThan(0.03);
        // Before the first answer, nothing shows how many calls the platform can answer in time.
        expect(quantile(refused(commands), 0.99)).toBeLessThan(Math.max(1_000, aloneMs));
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });
});
