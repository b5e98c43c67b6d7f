import { beforeEach, describe, expect, it } from '@jest/globals';

import { Window } from './window.ts';

const SLOW_MS = 5_000;

let nowMs: number;
let window: Window;
beforeEach(() => {
  nowMs = 0;
  window = new Window(100, SLOW_MS, () => nowMs);
});

/** The places that a compartment gets of `count` that are asked for at once, each as the function that gives it back. */
function enter(compartment: string, count: number, isRepeat = false) {
  return Array.from({ length: count }, () => window.enter(compartment, isRepeat)).filter(
    (leave) => leave !== undefined,
  );
}

const heldBy = (compartment: string) => window.holdings.get(compartment)?.inFlight ?? 0;

describe('Window', () => {
  it('lets a compartment that is stuck hold half, and counts what it refuses', () => {
    enter('games', 1);
    nowMs += SLOW_MS + 1;
    expect(enter('games', 200)).toHaveLength(49);
    expect(window.holdings.get('games')).toMatchObject({ inFlight: 50, overflowed: 151 });
    expect(enter('sessions', 20)).toHaveLength(20);
  });

  it('lets repeats of what is stuck hold half of what that leaves, even if it is known late as stuck', () => {
    const [repeat] = enter('games', 1, true);
    enter('games', 86);
    nowMs += SLOW_MS + 1;
    const beside = enter('games', 20, true);
    expect(beside).toHaveLength(7);
    expect(enter('games', 1)).toHaveLength(0);
    expect(enter('sessions', 6)).toHaveLength(6);
    beside.forEach((leave) => leave());
    expect(enter('games', 1, true)).toHaveLength(1);
    // That a repeat has ended does not show that the compartment moves.
    repeat?.();
    expect(enter('games', 1)).toHaveLength(0);
  });

  it('leaves each of ten that are stuck as much as it leaves the others', () => {
    const ill = Array.from({ length: 10 }, (_, index) => `operator-${index}`);
    for (const operator of ill) enter(operator, 1);
    nowMs += SLOW_MS + 1;
    for (let i = 0; i < 100; i += 1) for (const operator of ill) window.enter(operator);
    const held = ill.map(heldBy);
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

  it('counts a compartment as stuck if what ends was slow, and admits it again once enough have ended', () => {
    const games = enter('games', 60);
    nowMs += 2 * SLOW_MS + 1;
    expect(enter('games', 1)).toHaveLength(0);
    for (const leave of games.slice(0, 11)) leave();
    expect(enter('games', 2)).toHaveLength(1);
  });

  it('does not hold it against a compartment that it was idle', () => {
    enter('sessions', 60).forEach((leave) => leave());
    nowMs += 10 * SLOW_MS;
    expect(enter('sessions', 60)).toHaveLength(60);
  });
});
