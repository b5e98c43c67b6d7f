export interface Postponement {
  /** The rungs of the ladder, milliseconds, shortest first. */
  readonly delaysMs: readonly number[];
  /** Times that the command was postponed before. */
  readonly postponed: number;
  /** The shortest wait that makes sense, where it is known. */
  readonly retryAfterMs: number | undefined;
  /** Until the deadline. */
  readonly remainingMs: number;
}

/**
 * The rung that a report waits on: one further each time, never shorter than `retryAfterMs` while the ladder has one
 * that long, after the last rung the last again. Source: bus contract, section 5.
 *
 * @returns the rung's delay, or `undefined` where waiting would pass the deadline
 */
export function nextDelayMs({
  delaysMs,
  postponed,
  retryAfterMs = 0,
  remainingMs,
}: Postponement): number | undefined {
  const last = delaysMs.length - 1;
  const longEnough = delaysMs.findIndex((delayMs) => delayMs >= retryAfterMs);
  const rung = Math.min(Math.max(postponed, longEnough === -1 ? last : longEnough), last);
  const delayMs = delaysMs[rung];
  return delayMs !== undefined && Math.max(delayMs, retryAfterMs) < remainingMs ? delayMs : undefined;
}
