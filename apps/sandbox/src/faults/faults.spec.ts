import { describe, expect, it } from '@jest/globals';

import { FaultRules } from './fault-rules.ts';
import { Latency } from './latency.ts';
import { faultOf } from './faults.ts';

describe('fault rules', () => {
  const unavailable = faultOf('status', { status: 503 });

  it('are limited to 1000', () => {
    const rules = new FaultRules(() => 0);
    for (let added = 0; added < 1_000; added += 1) rules.add({ fault: unavailable });
    expect(rules.isFull).toBe(true);
    expect(() => rules.add({ fault: unavailable })).toThrow(RangeError);
    rules.clear();
    expect(rules.isFull).toBe(false);
  });
});

describe('latency', () => {
  it('is a fixed delay and a part of a spread, plus that of a fault', () => {
    const latency = new Latency({ fixedMs: 20, spreadMs: 10 }, () => 0.5);
    expect(latency.draw()).toBe(25);
    expect(latency.draw({ fixedMs: 100, spreadMs: 10 })).toBe(130);
  });
});
