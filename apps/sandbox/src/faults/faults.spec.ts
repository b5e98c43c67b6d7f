import { describe, expect, it } from '@jest/globals';

import { operationOf } from '../interface/documents.ts';
import { FaultRules, Latency, seededRandom } from './fault-rules.ts';
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

describe('operation', () => {
  it.each([
    ['POST', '/api/web/v2/app/users/u%2F1/session', 'session'],
    ['POST', '/apiweb/v3/open-game', 'open-game'],
    ['POST', '/api/web/v2/app/reports/ad_hoc', 'ad-hoc-report'],
    ['GET', '/api/web/v2/app/users/rake', 'rake'],
    ['GET', '/apiweb/v3/open-game', undefined],
    ['POST', '/api/web/v2/app/users/rake', undefined],
    ['POST', '/api/web/v2/app/users//session', undefined],
    ['GET', '/sandbox/health', undefined],
  ])('of %s %s is %s', (method, path, operation) => {
    expect(operationOf(method, path)).toBe(operation);
  });
});
