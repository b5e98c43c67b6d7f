import { describe, expect, it } from '@jest/globals';

import { bottleneck, median, percentile, processUsage, readPsTime } from '../measure/measure.ts';
import { FULL, type Result, type Sample } from '../runs/compare.ts';
import {
  boundTable,
  busyLines,
  costTable,
  describeMachine,
  ratioTable,
  type Report,
  speedTable,
} from './print-report.ts';
import { ratiosOf, summarize } from './summary.ts';

const SHARES = { parts: { worker: 0.5, broker: 0.4, platform: 0.1, driver: 0.1 }, machine: 1.2 };
const TALLY = { sent: 10, right: 10, wrong: 0, double: 0, stray: 0, missing: 0 };

function sample(cpuMsPerCommand: number, cpuMsPerCommandAtRate: number): Sample {
  return {
    commandsPerSecond: 1_000,
    cpuMsPerCommand,
    shares: SHARES,
    cpuMsPerCommandAtRate,
    p50Ms: 22,
    p99Ms: 30,
  };
}

function result(name: string, cpuMs: readonly number[], tally = TALLY, atRateMs?: number): Result {
  return {
    contestant: { name, label: name.toUpperCase(), queueType: 'classic' },
    samples: cpuMs.map((ms) => sample(ms, atRateMs ?? 2 * ms)),
    finishes: [{ tally, peakMemoryMib: 200 }],
  };
}

describe('ratios', () => {
  const results = [
    result('bare-classic', [0.1, 0.2, 0.4]),
    result('other', [0.1, 0.1, 0.1]),
    result('ours', [0.1, 0.19, 0.2], TALLY, 0.24),
  ];

  it('are taken round by round, at full speed and at the rate', () => {
    const [head, ...rows] = ratioTable(ratiosOf(results), 300);
    expect(head?.slice(2)).toEqual(['CPU at full speed', 'CPU at 300/s']);
    expect(rows).toEqual([
      ['BARE-CLASSIC', 'classic', '0.95 (0.50–1.00)', '0.60 (0.30–1.20)'],
      ['OTHER', 'classic', '1.90 (1.00–2.00)', '1.20 (1.20–1.20)'],
    ]);
  });

  it('are none if ours was not measured', () => {
    expect(ratiosOf(results.slice(0, 2))).toEqual([]);
  });
});

describe('the table of bounds', () => {
  const peers = ['bare-classic', 'bare-quorum', 'nest-classic', 'nest-quorum'];
  const whole: Report = {
    machine: describeMachine('3.10.8'),
    plan: FULL,
    results: [...peers.map((name) => result(name, [0.2])), result('ours', [0.19], TALLY, 0.5)],
    moderate: [150, 152, 153].map((peakMemoryMib) => ({ tally: TALLY, peakMemoryMib })),
    rates: {
      bare: { label: 'bare', pagesPerSecond: [100, 50, 100], cpuMsPerPage: [] },
      ours: { label: 'ours', pagesPerSecond: [50, 30, 70], cpuMsPerPage: [] },
      faults: 0,
    },
    starts: [{ name: 'npm-run-worker', label: '`npm run worker`', timesMs: [900, 1_100, 1_001] }],
  };

  it('holds what is wanted against the median', () => {
    expect(boundTable(whole).map((row) => row.slice(1))).toEqual([
      ['bound', 'measured', 'holds'],
      ['at most 1.00', '1.25 (1.25–1.25)', 'no'],
      ['at most 1.00', '1.25 (1.25–1.25)', 'no'],
      ['at most 1.00', '0.95 (0.95–0.95)', 'yes'],
      ['at most 1.00', '0.95 (0.95–0.95)', 'yes'],
      ['at most 0.70', '0.95 (0.95–0.95)', 'no'],
      ['at most 0.70', '0.95 (0.95–0.95)', 'no'],
      ['at most 160 MB', '159 (157–160) MB', 'yes'],
      ['at most 160 MB', '210 (210–210) MB', 'no'],
      ['at least 0.60', '0.60 (0.50–0.70)', 'yes'],
      ['at most 1.00 s', '1.00 (0.90–1.10) s', 'no'],
    ]);
  });

  it('has rows for what was measured alone', () => {
    const started = { ...whole, results: [], moderate: [], rates: undefined };
    expect(
      boundTable(started)
        .slice(1)
        .map(([what]) => what),
    ).toEqual(['`npm run worker` to the first reply']);
    expect(boundTable({ ...started, starts: [] })).toHaveLength(1);
  });
});

describe('the table', () => {
  it('holds medians, their range and whether every answer was right', () => {
    const summaries = [summarize(result('bare-classic', [0.3, 0.1, 0.2]), 2)];
    const worker = ['BARE-CLASSIC', 'classic'];
    const [, cost] = costTable(summaries, 300);
    expect(cost).toEqual([...worker, '0.200 (0.100–0.300) ms', '0.400 ms', '210 MB', '10 right']);
    const [, speed] = speedTable(summaries);
    expect(speed?.slice(0, 4)).toEqual([...worker, '22.0 ms', '30.0 (30.0–30.0) ms']);
  });

  it('says what went wrong', () => {
    const tally = { ...TALLY, right: 7, wrong: 1, double: 4, missing: 2 };
    const [, row] = costTable([summarize(result('ours', [0.1], tally), 2)], 300);
    expect(row?.at(-1)).toBe('7 of 10 right, 1 wrong, 4 double, 0 stray, 2 missing');
  });

  it('comes with a warning if others used the machine', () => {
    const quiet = summarize(result('ours', [0.1]), 2);
    const busy = { ...quiet, shares: { ...SHARES, machine: 1.9 } };
    expect(busyLines([quiet], 2)).toEqual([]);
    expect(busyLines([quiet, busy], 2)).toEqual([expect.stringContaining('0.8 of 2 processors')]);
  });
});

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
