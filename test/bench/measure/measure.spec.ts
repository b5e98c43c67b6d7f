import { describe, expect, it } from '@jest/globals';

import { bottleneck, processUsage, readPsTime } from './usage.ts';
import { median, percentile } from './statistics.ts';

describe('processUsage', () => {
  it('grows by the processor time of this process only', () => {
    const before = processUsage(process.pid);
    const used = process.cpuUsage();
    while (process.cpuUsage(used).user < 200_000) JSON.parse('[1,2,3]');
    const { user, system } = process.cpuUsage(used);
    const grown = processUsage(process.pid).cpuMs - before.cpuMs;
    // In steps of 10 ms; other threads of this process keep running.
    expect(grown).toBeGreaterThan(150);
    expect(grown).toBeLessThan((user + system) / 1_000 + 500);
  });

  it('reports memory in MiB', () => {
    const { memoryMib, peakMemoryMib } = processUsage(process.pid);
    const rssMib = process.memoryUsage.rss() / 1_024 ** 2;
    expect(memoryMib / rssMib).toBeGreaterThan(0.5);
    expect(memoryMib / rssMib).toBeLessThan(2);
    expect(peakMemoryMib).toBeGreaterThanOrEqual(memoryMib);
  });

  it.each([
    ['0:01.50', 1_500],
    ['12:03.00', 723_000],
    ['01:00:02', 3_602_000],
    ['2-00:00:01', 172_801_000],
  ])('reads the time %s of ps', (text, ms) => {
    expect(readPsTime(text)).toBeCloseTo(ms);
  });
});

describe('statistics', () => {
  it('takes the middle value, or the mean of the two middle values', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(median([])).toBe(0);
  });

  it('takes percentiles by the nearest rank', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(percentile(hundred, 0.99)).toBe(99);
    expect(percentile(hundred, 1)).toBe(100);
    expect(percentile([7], 0.99)).toBe(7);
  });
});

describe('bottleneck', () => {
  const idle = { worker: 0.3, broker: 0.3, platform: 0.1, driver: 0.1 };

  it.each([
    ['a worker that fills its processor', { ...idle, worker: 0.95 }, 1.5, 'the worker'],
    ['a driver that does', { ...idle, driver: 0.93 }, 1.5, 'the driver'],
    ['processors that are all in use', idle, 1.9, 'the processors'],
    ['room left everywhere', idle, 0.9, 'waiting for answers'],
  ])('knows %s', (_, parts, machine, expected) => {
    expect(bottleneck({ parts, machine }, 2)).toBe(expected);
  });
});
