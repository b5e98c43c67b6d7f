/** A time in milliseconds: the time of day, as `Date.now`, or a steady one. */
export type Clock = () => number;

/** Never jumps with the time of day: for all that is measured within this process. */
export const steadyClock: Clock = () => performance.now();

/** A number from 0 up to 1, as `Math.random`. */
export type Random = () => number;

/** Returns a wait between half and one and a half times the mean, so that those who wait do not come back together. */
export function spread(meanMs: number, random: Random): number {
  return Math.ceil(meanMs * (0.5 + random()));
}
