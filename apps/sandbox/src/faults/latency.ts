import type { Settings } from '../settings/settings.ts';

/** The delay of every answer; the control API changes it. */
export class Latency {
  readonly initial: Settings['latency'];
  current: Settings['latency'];
  private readonly random: () => number;

  /** @param random from 0 to 1, for the spread */
  constructor(initial: Settings['latency'], random: () => number) {
    this.initial = initial;
    this.current = initial;
    this.random = random;
  }

  /** The delay of one request, in milliseconds; `further` is the delay of a fault. */
  draw(further: Settings['latency'] = { fixedMs: 0, spreadMs: 0 }): number {
    const spreadMs = this.current.spreadMs + further.spreadMs;
    return this.current.fixedMs + further.fixedMs + (spreadMs > 0 ? this.random() * spreadMs : 0);
  }
}

/** Random numbers from 0 up to 1 that repeat for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
