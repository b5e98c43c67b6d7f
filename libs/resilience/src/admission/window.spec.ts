import { beforeEach, describe, expect, it } from '@jest/globals';

import { Window } from './window.ts';

const SLOW_MS = 5_000;

let nowMs: number;
let window: Window;
beforeEach(() => {
  nowMs = 0;
  window = new Window(100, SLOW_MS, () => nowMs);
});

/** Enters `count` commands of a compartment. Returns the functions that release the places taken. */
function enter(compartment: string, count: number, isRepeat = false) {
  return Array.from({ length: count }, () => window.enter(compartment, isRepeat)).filter(
    (leave) => leave !== undefined,
  );
}

const heldBy = (compartment: string) => window.holdings.get(compartment)?.inFlight ?? 0;

describe('Window', () => {
  it('limits a stuck compartment to half of the window, and counts refused commands', () => {
    enter('games', 1);
    nowMs += SLOW_MS + 1;
    expect(enter('games', 200)).toHaveLength(49);
    expect(window.holdings.get('games')).toMatchObject({ inFlight: 50, overflowed: 151 });
    expect(enter('sessions', 20)).toHaveLength(20);
  });

  it('limits repeats of stuck compartments to half of the rest, even if found stuck late', () => {
    const [repeat] = enter('games', 1, true);
    enter('games', 86);
    nowMs += SLOW_MS + 1;
    const beside = enter('games', 20, true);
    expect(beside).toHaveLength(7);
    expect(enter('games', 1)).toHaveLength(0);
    expect(enter('sessions', 6)).toHaveLength(6);
    beside.forEach((leave) => leave());
    expect(enter('games', 1, true)).toHaveLength(1);
    // The end of a repeat does not show that the compartment makes progress.
    repeat?.();
    expect(enter('games', 1)).toHaveLength(0);
  });

  it('gives each of ten stuck compartments as many places as it leaves free for the others', () => {
    const ill = Array.from({ length: 10 }, (_, index) => `operator-${index}`);
    for (const operator of ill) enter(operator, 1);
    nowMs += SLOW_MS + 1;
    for (let i = 0; i < 100; i += 1) for (const operator of ill) window.enter(operator);
    const held = ill.map(heldBy);
    const free = 100 - held.reduce((sum, inFlight) => sum + inFlight, 0);
    expect(Math.max(...held) - Math.min(...held)).toBeLessThanOrEqual(1);
    expect(free).toBeGreaterThanOrEqual(Math.min(...held));
  });

  it('reserves the last eighth when a compartment made no progress for a fifth of slowMs', () => {
    enter('games', 1);
    nowMs += SLOW_MS / 5 + 1;
    expect(enter('games', 200)).toHaveLength(87);
    expect(enter('sessions', 12)).toHaveLength(12);
  });

  it('treats a compartment with slow commands as stuck, and admits it again after enough have ended', () => {
    const games = enter('games', 60);
    nowMs += 2 * SLOW_MS + 1;
    expect(enter('games', 1)).toHaveLength(0);
    for (const leave of games.slice(0, 11)) leave();
    expect(enter('games', 2)).toHaveLength(1);
  });

  it('does not treat an idle compartment as stuck', () => {
    enter('sessions', 60).forEach((leave) => leave());
    nowMs += 10 * SLOW_MS;
    expect(enter('sessions', 60)).toHaveLength(60);
  });
});
