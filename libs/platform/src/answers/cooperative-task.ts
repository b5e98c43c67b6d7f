import { setImmediate as turn } from 'node:timers/promises';

/** The length of a slice; a single step of the task may take longer. */
const SLICE_MS = 0.5;
/**
 * Turns of the event loop between two slices: a player's command needs several, and an idle turn takes
 * microseconds.
 */
const TURNS = 4;
/** One queue for the process, because it has one event loop. */
let lastSlice: Promise<void> = Promise.resolve();
let lastLarge: Promise<unknown> = Promise.resolve();

/**
 * Work that would delay players' commands, split into slices of about half a millisecond. Between two slices,
 * the event loop turns a few times for everything else, regardless of the number of such tasks.
 */
export class CooperativeTask {
  #endsAtMs = -Infinity;

  /** Yields to the event loop before the first step of the task, and after each slice. */
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

/** Runs memory-intensive tasks sequentially, in order. @throws the error of the task */
export function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const done = lastLarge.then(work);
  lastLarge = done.catch(() => undefined);
  return done;
}

/** Shorter answers are read immediately; those for sessions and games have up to 1 KiB. */
const LONG_BYTES = 4 * 1024;

/** Wraps a reader so that long answers are read sequentially, with turns of the event loop in between. */
export const inTurn =
  <Rest extends unknown[], T>(read: (bytes: Buffer, ...rest: Rest) => T) =>
  async (bytes: Buffer, ...rest: Rest): Promise<T> => {
    if (bytes.length > LONG_BYTES) await new CooperativeTask().yieldIfDue();
    return read(bytes, ...rest);
  };
