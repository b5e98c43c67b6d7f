import type { Random } from '#resilience';

/** The 99th percentile of the standard normal distribution. */
const Z99 = 2.326_35;

/** The time until the next of events that happen `perSecond` on average, milliseconds. */
export function exponentialMs(perSecond: number, random: Random): number {
  return (-Math.log(1 - random()) / perSecond) * 1_000;
}

/** A lognormal number by its median and 99th percentile; always the median if they are equal. */
export function lognormal(median: number, p99: number, random: Random): number {
  const sigma = Math.log(p99 / median) / Z99;
  return median * Math.exp(sigma * normal(random));
}

/** Source: Box and Muller, 1958. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
