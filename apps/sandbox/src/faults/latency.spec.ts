import { describe, expect, it } from '@jest/globals';
import { Latency, seededRandom } from './latency.ts';

describe('latency', () => {
  it('is a fixed delay and a part of a spread, plus that of a fault', () => {
    const latency = new Latency({ fixedMs: 20, spreadMs: 10 }, () => 0.5);
    expect(latency.draw()).toBe(25);
    expect(latency.draw({ fixedMs: 100, spreadMs: 10 })).toBe(130);
  });

  it('has its initial value after a reset', () => {
    const latency = new Latency({ fixedMs: 0, spreadMs: 0 }, () => 0.5);
    latency.set({ fixedMs: 5, spreadMs: 0 });
    expect(latency.draw()).toBe(5);
    latency.reset();
    expect(latency.draw()).toBe(0);
  });
});

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
