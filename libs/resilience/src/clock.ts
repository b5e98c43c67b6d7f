/** Returns a time in milliseconds: the time of day, like `Date.now`, or a monotonic time. */
export type Clock = () => number;

/** A monotonic clock for durations within this process; changes of the system time do not affect it. */
export const steadyClock: Clock = () => performance.now();

/** Returns a number from 0 up to 1, like `Math.random`. */
export type Random = () => number;

/**
 * Returns a wait between half and one and a half times the mean, so that waiting clients do not return all at
 * once.
 */
export function spread(meanMs: number, random: Random): number {
  return Math.ceil(meanMs * (0.5 + random()));
}
