import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The longest wait of a test for a condition. It is long because a busy machine takes many times as long as
 * an idle one. Jest's timeout for a test is longer still, so that the error names the condition.
 */
export const WAIT_TIMEOUT_MS = 60_000;

const INTERVAL_MS = 20;

/**
 * Polls until there is a result.
 *
 * @param look returns the result, or `undefined`, `false` or an empty list if there is none yet
 * @param what the end of the error "timed out waiting until …"
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
    if (performance.now() > untilMs) throw new Error(`timed out waiting until ${what}`);
    await sleep(INTERVAL_MS);
  }
}
