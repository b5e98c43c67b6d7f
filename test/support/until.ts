import { setTimeout as sleep } from 'node:timers/promises';

import { WAIT_TIMEOUT_MS } from './wait-timeout.ts';

const INTERVAL_MS = 20;

/**
 * Polls until there is a result.
 *
 * @param look returns the result, or `undefined` or `false` while there is none
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
    if (found !== undefined && found !== false) return found;
    if (performance.now() > untilMs) throw new Error(`waited in vain until ${what}`);
    await sleep(INTERVAL_MS);
  }
}
