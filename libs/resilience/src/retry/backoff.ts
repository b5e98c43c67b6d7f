import type { Random } from '../clock.ts';

const BASE_MS = 200;
const CAP_MS = 5000;

/**
 * How long to wait before the next attempt, in milliseconds: full jitter, so that calls which failed together do
 * not come back together. What `Retry-After` asked for is waited in full, and the jitter on top.
 *
 * @param calls attempts so far, from 1
 */
export function backoffMs(calls: number, retryAfterMs: number | undefined, random: Random): number {
  const ceilingMs = Math.min(CAP_MS, BASE_MS * 2 ** (calls - 1));
  return (retryAfterMs ?? 0) + random() * ceilingMs;
}
