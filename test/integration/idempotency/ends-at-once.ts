import { setTimeout as sleep } from 'node:timers/promises';

/** Whatever needs no I/O has ended by then; a network request has not. */
const TURNS_AT_ONCE = 5;

/**
 * Whether something ends within a few turns of the event loop, however long those take.
 *
 * @param afterMs on a timer of this process, which a busy machine delays as much as those of a claim
 */
export async function endsAtOnce(work: Promise<unknown>, afterMs = 0): Promise<boolean> {
  let hasEnded = false;
  void work.then(() => (hasEnded = true));
  if (afterMs > 0) await sleep(afterMs);
  for (let turn = 0; turn < TURNS_AT_ONCE; turn += 1) await new Promise(setImmediate);
  const isAtOnce = hasEnded;
  await work;
  return isAtOnce;
}
