import { describe, expect, it } from '@jest/globals';

import { trendOf } from './trend.ts';

const pointsOf = (values: readonly number[]) => values.map((y, x) => ({ x, y }));

describe('trendOf', () => {
  it('finds a line through all points, without an error', () => {
    const { slope, slopeError, mean } = trendOf(pointsOf([1, 3, 5, 7]));
    expect([slope, mean]).toEqual([2, 4]);
    expect(slopeError).toBeCloseTo(0);
  });

  it('gives the error of the slope', () => {
    const { slope, slopeError } = trendOf(pointsOf([10, 12, 10, 12, 10, 12, 10, 12]));
    expect(Math.abs(slope)).toBeLessThan(2 * slopeError);
  });

  it('has no result for two points', () => {
    expect(trendOf(pointsOf([1, 9]))).toEqual({ slope: 0, slopeError: Infinity, mean: 5 });
  });
});
