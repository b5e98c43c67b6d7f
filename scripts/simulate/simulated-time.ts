import { setImmediate as turn } from 'node:timers/promises';

import FakeTimers from '@sinonjs/fake-timers';

/** `nextSlice` of resilience waits for so many turns while a page of few records is read. */
const TURNS_OF_A_PAGE = 3;

/**
 * Runs `simulate` on a clock that jumps from one timer to the next. Whatever uses timers or `Date` meanwhile, the
 * worker's own code among it, lives in that time.
 *
 * @param forMs of simulated time; what is still under way then is forgotten
 * @param simulate starts everything; called at the time 0
 */
export async function inSimulatedTime(forMs: number, simulate: () => void): Promise<void> {
  const clock = FakeTimers.install({
    now: 0,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'Date'],
    loopLimit: Infinity,
  });
  try {
    let hasEnded = false;
    setTimeout(() => (hasEnded = true), forMs);
    simulate();
    while (!hasEnded) {
      // Promises that the last timer settled come first: nothing may wait for a real moment to pass.
      for (let turns = 0; turns < TURNS_OF_A_PAGE; turns += 1) await turn();
      clock.next();
    }
  } finally {
    clock.uninstall();
  }
}
