import { setImmediate as turn } from 'node:timers/promises';

/** The length of a slice; a single step of the task may take longer. */
const SLICE_MS = 0.5;
/** Turns of the event loop between two slices: a player's command needs several, and an idle turn takes microseconds. */
const TURNS = 4;
/** One queue for the process, as there is one event loop. */
let lastSlice: Promise<void> = Promise.resolve();
let lastLarge: Promise<unknown> = Promise.resolve();

/**
 * Work that takes longer than a player should wait, done in slices of about half a millisecond. Between two slices the
 * event loop turns a few times for everything else, however many such tasks there are.
 */
export class CooperativeTask {
  #endsAtMs = -Infinity;

  /** Waits for the event loop before the first step of the task, and again whenever its slice has ended. */
  async yieldIfDue(): Promise<void> {
    if (performance.now() < this.#endsAtMs) return;
    lastSlice = lastSlice.then(turns);
    await lastSlice;
    this.#endsAtMs = performance.now() + SLICE_MS;
  }
}

async function turns(): Promise<void> {
  for (let left = TURNS; left > 0; left -= 1) await turn();
}

/** Runs tasks that need much memory one after the other, in order. @throws whatever the task throws */
export function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const done = lastLarge.then(work);
  lastLarge = done.catch(() => undefined);
  return done;
}

/** The answer to a session or a game has up to 1 KiB, and is read at once. */
const LONG_BYTES = 4 * 1024;

/** Wraps a reader so that long answers are read one by one, with turns of the event loop in between. */
export const inTurn =
  <Rest extends unknown[], T>(read: (bytes: Buffer, ...rest: Rest) => T) =>
  (bytes: Buffer, ...rest: Rest): T | Promise<T> =>
    bytes.length > LONG_BYTES
      ? new CooperativeTask().yieldIfDue().then(() => read(bytes, ...rest))
      : read(bytes, ...rest);
