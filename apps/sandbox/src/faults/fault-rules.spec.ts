import { describe, expect, it } from '@jest/globals';
import { FaultRules } from './fault-rules.ts';
import { faultOf } from './faults.ts';

describe('fault rules', () => {
  const unavailable = faultOf('status', { status: 503 });
  const broken = faultOf('status', { status: 500 });
  const slow = faultOf('latency', { fixedMs: 10 });

  it('apply a fault to the next requests of an operation, and then no more', () => {
    const rules = new FaultRules(() => 0);
    rules.add({ operation: 'session', count: 2, fault: unavailable });
    expect(rules.take('rake')).toEqual({});
    expect(rules.take('session')).toEqual({ fault: unavailable });
    expect(rules.list()).toMatchObject([{ remaining: 1 }]);
    expect(rules.take('session')).toEqual({ fault: unavailable });
    expect(rules.take('session')).toEqual({});
    expect(rules.list()).toEqual([]);
  });

  it('apply a latency and one other fault together, the oldest active one of each', () => {
    const rules = new FaultRules(() => 0);
    rules.add({ fault: unavailable, count: 1 });
    rules.add({ fault: broken, count: 1 });
    rules.add({ fault: slow });
    expect(rules.take('session')).toEqual({ fault: unavailable, latency: slow });
    expect(rules.take('session')).toEqual({ fault: broken, latency: slow });
    expect(rules.take('session')).toEqual({ latency: slow });
  });

  it('apply a fault to a share of the requests, and count only those', () => {
    const draws = [0.5, 0.1, 0.25, 0.2];
    const rules = new FaultRules(() => draws.shift() as number);
    rules.add({ share: 0.25, count: 2, fault: unavailable });
    const played = [1, 2, 3, 4, 5].map(() => rules.take('rake').fault !== undefined);
    expect(played).toEqual([false, true, false, true, false]);
  });

  it('are gone when they are removed', () => {
    const rules = new FaultRules(() => 0);
    const { id } = rules.add({ fault: unavailable });
    expect(rules.remove(id)).toBe(true);
    expect(rules.remove(id)).toBe(false);
    rules.add({ fault: unavailable });
    rules.clear();
    expect(rules.take('session')).toEqual({});
  });

  it('are limited to 1000', () => {
    const rules = new FaultRules(() => 0);
    for (let added = 0; added < 1_000; added += 1) rules.add({ fault: unavailable });
    expect(rules.isFull).toBe(true);
    expect(() => rules.add({ fault: unavailable })).toThrow(RangeError);
    rules.clear();
    expect(rules.isFull).toBe(false);
  });
});
