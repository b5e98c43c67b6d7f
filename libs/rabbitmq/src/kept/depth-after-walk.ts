import { setTimeout as sleep } from 'node:timers/promises';

/** For messages of a closed channel to be back in their places, and for those that somebody else holds for a look. */
const LOOKS = 20;
const PAUSE_MS = 50;

/**
 * How many messages are in a queue once at least so many are back in their places, or after a second: the broker has
 * closed a channel before it has taken back what the channel held.
 */
export async function depthAfterWalk(depth: () => Promise<number>, expected: number): Promise<number> {
  for (let looks = 1; ; looks += 1) {
    await sleep(PAUSE_MS);
    const messages = await depth();
    if (messages >= expected || looks === LOOKS) return messages;
  }
}
