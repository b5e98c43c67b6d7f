/** The time in milliseconds since the epoch, as `Date.now`. */
export type Clock = () => number;

/** A number from 0 up to 1, as `Math.random`. */
export type Random = () => number;
