export interface Postponement {
  /** The delays of the retry queues, milliseconds, shortest first. */
  readonly delaysMs: readonly number[];
  /** Times that the message was postponed before. */
  readonly postponed: number;
  /** The shortest wait that makes sense, if it is known. */
  readonly retryAfterMs: number | undefined;
  /** Until the deadline. */
  readonly remainingMs: number;
}

/**
 * The delay that a postponed message waits: one further each time, never shorter than `retryAfterMs` while there is one
 * that long, after the last one the last again.
 *
 * @returns `undefined` if waiting would pass the deadline
 */
export function nextDelayMs({
  delaysMs,
  postponed,
  retryAfterMs = 0,
  remainingMs,
}: Postponement): number | undefined {
  const last = delaysMs.length - 1;
  const longEnough = delaysMs.findIndex((delayMs) => delayMs >= retryAfterMs);
  const index = Math.min(Math.max(postponed, longEnough === -1 ? last : longEnough), last);
  const delayMs = delaysMs[index];
  return delayMs !== undefined && Math.max(delayMs, retryAfterMs) < remainingMs ? delayMs : undefined;
}
