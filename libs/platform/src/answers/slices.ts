import { setImmediate as turn } from 'node:timers/promises';

/** What a slice takes before another one begins; a single piece of work in it may take longer. */
const SLICE_MS = 0.5;
/** Turns of the event loop from slice to slice: a player's command needs many, and an idle one takes some microseconds. */
const TURNS = 4;
/** One queue for the process, as there is one event loop. */
let lastSlice: Promise<void> = Promise.resolve();
let lastLarge: Promise<unknown> = Promise.resolve();

/**
 * Work that takes longer than a player should wait is done in slices of about half a millisecond. Between two slices
 * everything else is served a few times, however many pieces of such work there are.
 */
export class Slices {
  #endsAtMs = -Infinity;

  /** Waits for a turn before the first step of the work, and again once the slice is over. */
  async next(): Promise<void> {
    if (performance.now() < this.#endsAtMs) return;
    lastSlice = lastSlice.then(turns);
    await lastSlice;
    this.#endsAtMs = performance.now() + SLICE_MS;
  }
}

async function turns(): Promise<void> {
  for (let left = TURNS; left > 0; left -= 1) await turn();
}

/** Does work that needs much memory after all such work that was given before. @throws what the work throws */
export function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const done = lastLarge.then(work);
  lastLarge = done.catch(() => undefined);
  return done;
}

/** A session or a game takes up to 1 KiB, and is read at once. */
const LONG_BYTES = 4 * 1024;

/** Reads long answers one by one, and serves everything else in between. */
export const inTurn =
  <Rest extends unknown[], T>(read: (bytes: Buffer, ...rest: Rest) => T) =>
  (bytes: Buffer, ...rest: Rest): T | Promise<T> =>
    bytes.length > LONG_BYTES ? new Slices().next().then(() => read(bytes, ...rest)) : read(bytes, ...rest);
