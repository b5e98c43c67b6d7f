import { expect, it } from '@jest/globals';

import { FULL, type Result } from './compare.ts';
import { describeMachine } from './measure.ts';
import { boundTable, type Report } from './report.ts';

const TALLY = { sent: 10, right: 10, faults: 0 };

function result(name: string, cpuMs: readonly number[], most?: { rate?: number; full: number }): Result {
  const samples = cpuMs.map((ms) => ({
    commandsPerSecond: 1_000,
    cpuMsPerCommand: ms,
    others: 0.1,
    cpuMsPerCommandAtRate: 2 * ms,
    p50Ms: 22,
    p99Ms: 30,
  }));
  const contestant = {
    name,
    label: name.toUpperCase(),
    queueType: 'classic' as const,
    ...(most && { most }),
  };
  return { contestant, samples, finishes: [{ tally: TALLY, peakMemoryMib: 200 }] };
}

const reportOf = (...results: Result[]): Report => ({
  machine: { ...describeMachine('4.3.6'), processors: 2 },
  plan: FULL,
  results,
  moderate: [140, 142, 143].map((peakMemoryMib) => ({ tally: TALLY, peakMemoryMib })),
  rates: { bare: [100, 50, 100], ours: [50, 30, 70], faults: 0 },
  memory: undefined,
  startsMs: [900, 1_100, 1_001],
});

it('compares the median of the measured rounds with each bound in the table of bounds', () => {
  const peers = [{ rate: 1.2, full: 1.15 }, { rate: 0.85, full: 0.8 }, { full: 0.9 }].map((most, index) =>
    result(`peer ${index}`, [0.1, 0.2, 0.4], most),
  );
  const ours = result('ours', [0.1, 0.19, 0.2]);
  const rows = boundTable(reportOf(...peers, ours, result('redis', [0.095])));
  expect(rows.map((row) => row.slice(1))).toEqual([
    ['bound', 'measured', 'holds'],
    ['at most 1.20', '0.95 (0.50–1.00)', 'yes'],
    ['at most 0.85', '0.95 (0.50–1.00)', 'no'],
    ['', '0.95 (0.50–1.00)', ''],
    ['at most 1.15', '0.95 (0.50–1.00)', 'yes'],
    ['at most 0.80', '0.95 (0.50–1.00)', 'no'],
    ['at most 0.90', '0.95 (0.50–1.00)', 'no'],
    ['at most 1.20', '0.95 (0.95–0.95)', 'yes'],
    ['at most 150 MB', '149 (147–150) MB', 'yes'],
    ['at most 150 MB', '210 (210–210) MB', 'no'],
    ['at least 0.60', '0.60 (0.50–0.70)', 'yes'],
    ['at most 0.60 s', '1.00 (0.90–1.10) s', 'no'],
  ]);
});
