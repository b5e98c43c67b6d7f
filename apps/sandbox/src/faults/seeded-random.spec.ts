import { describe, expect, it } from '@jest/globals';
import { seededRandom } from './seeded-random.ts';

describe('seeded random', () => {
  const draw = (seed: number) => {
    const random = seededRandom(seed);
    return Array.from({ length: 1000 }, random);
  };

  it('repeats for the same seed, and not for another', () => {
    expect(draw(1)).toEqual(draw(1));
    expect(draw(2)).not.toEqual(draw(1));
  });

  it('is spread evenly from 0 up to 1', () => {
    const numbers = draw(1);
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThan(1);
    expect(numbers.reduce((sum, number) => sum + number, 0) / 1000).toBeCloseTo(0.5, 1);
  });
});
