/** 0 for no values. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/**
 * By the nearest rank; of an even number of values in the middle, the mean of both for the median.
 *
 * @param share 0 to 1
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = share * sorted.length;
  const at = (index: number): number => sorted[Math.min(Math.max(index, 0), sorted.length - 1)] ?? 0;
  return share === 0.5 && Number.isInteger(rank) ? (at(rank - 1) + at(rank)) / 2 : at(Math.ceil(rank) - 1);
}

/** The middle one, the smallest and the largest. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** For example `0.31 (0.29–0.35)`. */
export function withRange({ median: middle, min, max }: Spread, digits: number): string {
  return `${middle.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
}
