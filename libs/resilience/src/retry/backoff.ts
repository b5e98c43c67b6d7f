import type { Random } from '../clock.ts';

const BASE_MS = 200;
const CAP_MS = 5000;

/**
 * How long to wait before the next attempt, in milliseconds: exponential backoff with full jitter, so that calls which
 * failed together do not come back together. The jitter is added to what `Retry-After` asked for.
 *
 * @param attempts so far, from 1
 */
export function backoffMs(attempts: number, retryAfterMs: number | undefined, random: Random): number {
  return (retryAfterMs ?? 0) + random() * Math.min(CAP_MS, BASE_MS * 2 ** (attempts - 1));
}
