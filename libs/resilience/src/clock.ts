/** A time in milliseconds: that of day, as `Date.now`, or a steady one. */
export type Clock = () => number;

/** Never jumps, whatever sets the time of day: for all that is measured from one moment to another within this process. */
export const steadyClock: Clock = () => performance.now();

/** A number from 0 up to 1, as `Math.random`. */
export type Random = () => number;
