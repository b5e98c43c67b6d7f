import { setImmediate as turn } from 'node:timers/promises';

/** One queue for the process, as there is one event loop. */
let last: Promise<void> = Promise.resolve();

/**
 * Waits for a turn of the event loop in which no other work is done that waited here. Work that takes longer than a
 * player should wait is done in slices, with a wait before each: between two of them everything else is served once, however
 * many do such work.
 */
export function nextSlice(): Promise<void> {
  last = last.then(() => turn());
  return last;
}
