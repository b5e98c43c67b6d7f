export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A straight line through points, by least squares. */
export interface Trend {
  /** Of `y` for one of `x`. */
  readonly slope: number;
  /** Standard error of the slope: how far chance alone may move it. */
  readonly slopeError: number;
  readonly mean: number;
}

/** @returns a slope of 0 and an unbounded error for fewer than three points */
export function trendOf(points: readonly Point[]): Trend {
  const count = points.length;
  const mean = (of: (point: Point) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / count;
  const [meanX, meanY] = [mean(({ x }) => x), mean(({ y }) => y)];
  if (count < 3) return { slope: 0, slopeError: Infinity, mean: meanY };
  const sum = (of: (point: Point) => number): number => points.reduce((total, point) => total + of(point), 0);
  const spread = sum(({ x }) => (x - meanX) ** 2);
  const slope = sum(({ x, y }) => (x - meanX) * (y - meanY)) / spread;
  const residual = sum(({ x, y }) => (y - meanY - slope * (x - meanX)) ** 2);
  return { slope, slopeError: Math.sqrt(residual / (count - 2) / spread), mean: meanY };
}
