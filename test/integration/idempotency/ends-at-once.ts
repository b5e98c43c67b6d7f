import { setTimeout as sleep } from 'node:timers/promises';

/** What waits for nothing has ended by then; whatever asks the network has not. */
const TURNS_AT_ONCE = 5;

/**
 * Whether something ends before the event loop has turned a few times, however long those turns take.
 *
 * @param afterMs by a timer of this process, which a busy machine holds up as much as it holds up those of a claim
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
