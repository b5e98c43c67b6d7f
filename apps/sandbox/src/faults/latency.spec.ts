import { describe, expect, it } from '@jest/globals';
import { Latency } from './latency.ts';

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
