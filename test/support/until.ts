import { setTimeout as sleep } from 'node:timers/promises';

/**
 * How long a test waits for something that comes by itself. It costs nothing if the thing comes, and a busy machine
 * takes many times as long as an idle one. Jest's own timeout for a test is longer, so that the wait can say what for.
 */
export const WAIT_TIMEOUT_MS = 60_000;

const INTERVAL_MS = 20;

/**
 * Polls until there is a result.
 *
 * @param look returns the result; `undefined`, `false` or an empty list while there is none
 * @param what completes "waited in vain until …"
 */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = WAIT_TIMEOUT_MS,
): Promise<T> {
  const untilMs = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false && !(Array.isArray(found) && found.length === 0)) return found;
    if (performance.now() > untilMs) throw new Error(`waited in vain until ${what}`);
    await sleep(INTERVAL_MS);
  }
}
