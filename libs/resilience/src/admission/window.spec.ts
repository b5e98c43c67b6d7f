import { beforeEach, describe, expect, it } from '@jest/globals';

import { type Holding, Window } from './window.ts';

const SLOW_MS = 5_000;

let nowMs: number;
let window: Window;
beforeEach(() => {
  nowMs = 0;
  window = new Window(100, SLOW_MS, () => nowMs);
});

/** What a compartment gets of `count` that come at once. */
function enter(compartment: string, count: number): Holding[] {
  return Array.from({ length: count }, () => window.enter(compartment)).filter(
    (holding) => holding !== undefined,
  );
}

describe('Window', () => {
  it('lets a compartment that is stuck hold half', () => {
    enter('games', 1);
    nowMs += SLOW_MS + 1;
    expect(enter('games', 200)).toHaveLength(49);
    expect(window.holdings.get('games')).toMatchObject({ inFlight: 50, overflowed: 0 });
    expect(enter('sessions', 20)).toHaveLength(20);
  });

  it('lets what waits for those of a compartment hold half of what that leaves, even if it is known late as stuck', () => {
    enter('games', 87);
    nowMs += SLOW_MS + 1;
    const beside = Array.from({ length: 20 }, () => window.enterBeside()).filter((one) => one !== undefined);
    expect(beside).toHaveLength(7);
    expect(enter('games', 1)).toHaveLength(0);
    expect(enter('sessions', 6)).toHaveLength(6);
    beside.forEach((one) => window.leave(one, nowMs));
    expect(window.enterBeside()).toBeDefined();
    // That they have ended does not show that the compartment moves.
    expect(enter('games', 1)).toHaveLength(0);
  });

  it('leaves each of ten that are stuck as much as it leaves the others', () => {
    const ill = Array.from({ length: 10 }, (_, index) => `operator-${index}`);
    for (const operator of ill) enter(operator, 1);
    nowMs += SLOW_MS + 1;
    for (let i = 0; i < 100; i += 1) for (const operator of ill) window.enter(operator);
    const held = ill.map((operator) => window.holdings.get(operator)?.inFlight ?? 0);
    const free = 100 - held.reduce((sum, inFlight) => sum + inFlight, 0);
    expect(Math.max(...held) - Math.min(...held)).toBeLessThanOrEqual(1);
    expect(free).toBeGreaterThanOrEqual(Math.min(...held));
  });

  it('keeps the last eighth from a compartment that has not moved for a fifth of that time', () => {
    enter('games', 1);
    nowMs += SLOW_MS / 5 + 1;
    expect(enter('games', 200)).toHaveLength(87);
    expect(enter('sessions', 12)).toHaveLength(12);
  });

  it.each([
    ['nothing ends', () => undefined],
    ['what ends was slow', (holding: Holding) => window.leave(holding, 0)],
  ])('counts a compartment as stuck if %s', (_, then) => {
    const [first] = enter('games', 60);
    nowMs += 2 * SLOW_MS + 1;
    then(first as Holding);
    expect(window.enter('games')).toBeUndefined();
  });

  it('admits a compartment again that has ended enough', () => {
    const games = enter('games', 60);
    nowMs += 2 * SLOW_MS + 1;
    expect(window.enter('games')).toBeUndefined();
    for (const holding of games.slice(0, 11)) window.leave(holding, 0);
    expect(window.enter('games')).toBeDefined();
    expect(window.enter('games')).toBeUndefined();
  });

  it('does not hold it against a compartment that it was idle', () => {
    enter('sessions', 60).forEach((holding) => window.leave(holding, nowMs));
    nowMs += 10 * SLOW_MS;
    expect(enter('sessions', 60)).toHaveLength(60);
  });
});
