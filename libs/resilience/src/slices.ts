import { setImmediate as turn } from 'node:timers/promises';

/** What a slice takes before another one begins; a single piece of work in it may take longer. */
const SLICE_MS = 0.5;

/** One queue for the process, as there is one event loop. */
let last: Promise<void> = Promise.resolve();
let lastLarge: Promise<void> = Promise.resolve();

/** Waits for a turn of the event loop in which no other work is done that waited here. */
function nextSlice(): Promise<void> {
  last = last.then(() => turn());
  return last;
}

/**
 * Work that takes longer than a player should wait is done in slices of about half a millisecond. Between two of them everything
 * else is served once, however many do such work.
 */
export class Slices {
  #endsAtMs = -Infinity;

  /** Waits for a turn before the first step of the work, and again once the slice is over. */
  async next(): Promise<void> {
    if (performance.now() < this.#endsAtMs) return;
    await nextSlice();
    this.#endsAtMs = performance.now() + SLICE_MS;
  }
}

/** Does work that needs much memory once no other work is done that was given here before. @throws what the work throws */
export function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const done = lastLarge.then(work);
  lastLarge = done.then(ignore, ignore);
  return done;
}

function ignore(): void {}
