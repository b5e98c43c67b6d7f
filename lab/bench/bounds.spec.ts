import { expect, it } from '@jest/globals';

import { boundTable, NO, type Report } from './bounds.ts';
import { FULL, type Result } from './compare.ts';
import { describeMachine } from './measure.ts';

const TALLY = { sent: 10, right: 10, faults: 0 };

function result(
  name: string,
  cpuMs: readonly number[],
  more?: Pick<Result['contestant'], 'hasRedis' | 'most'>,
): Result {
  const samples = cpuMs.map((ms) => ({
    commandsPerSecond: 1_000,
    cpuMsPerCommand: ms,
    others: 0.1,
    cpuMsPerCommandAtRate: 2 * ms,
    p50Ms: 22,
    p99Ms: 30,
  }));
  const contestant = { name, label: name.toUpperCase(), ...more };
  return { contestant, samples, finishes: [{ tally: TALLY, peakMemoryMib: 200 }] };
}

const reportOf = (...results: Result[]): Report => ({
  machine: { ...describeMachine('4.3.6'), processors: 2 },
  plan: FULL,
  results,
  moderate: [140, 142, 143].map((peakMemoryMib) => ({ tally: TALLY, peakMemoryMib })),
  rates: { bare: [100, 50, 100], ours: [50, 30, 70], faults: 0 },
  memory: undefined,
  platformMs: [21, 20.5, 21],
  beside: { long: [1.4, 1.5, 1.6], large: [2.1, 2.2, 2.3] },
  scaling: new Map([
    [1, [100, 100, 120]],
    [2, [190, 200, 230]],
    [4, [370, 370, 480]],
  ]),
  starts: { npmMs: [900, 700, 701], imageMs: [400, 510, 501] },
});

it('compares the median of the measured rounds with each bound in the table of bounds', () => {
  const peers = [
    result('bare', [0.1, 0.2, 0.4], { most: { rate: 1.2, full: 1.15 } }),
    result('nest', [0.1, 0.2, 0.4], { most: { rate: 0.85, full: 0.9 } }),
    result('plain', [0.1, 0.2, 0.4]),
    result('equal', [0.1, 0.2, 0.4], { most: { rate: 0.9, full: 0.7 }, hasRedis: true }),
  ];
  const ours = result('ours', [0.1, 0.19, 0.2]);
  const rows = boundTable(reportOf(...peers, ours, result('redis', [0.12])));
  expect(rows.map((row) => row.slice(1))).toEqual([
    ['bound', 'measured', 'holds'],
    ['at most 1.20', '0.95 (0.50–1.00)', 'yes'],
    ['at most 0.85', '0.95 (0.50–1.00)', NO],
    ['', '0.95 (0.50–1.00)', ''],
    ['at most 0.90', '1.20 (1.20–1.20)', NO],
    ['at most 1.15', '0.95 (0.50–1.00)', 'yes'],
    ['at most 0.90', '0.95 (0.50–1.00)', NO],
    ['', '0.95 (0.50–1.00)', ''],
    ['at most 0.70', '1.20 (1.20–1.20)', NO],
    ['at most 1.20', '1.20 (1.20–1.20)', 'yes'],
    ['at most 1.20', '1.20 (1.20–1.20)', 'yes'],
    ['at most 1.00 ms', '1.00 (1.00–1.50) ms', 'yes'],
    ['at most 3.00 ms', '0.00 (0.00–0.00) ms', 'yes'],
    ['at most 1.50', '1.50 (1.40–1.60)', 'yes'],
    ['at most 2.00', '2.20 (2.10–2.30)', NO],
    ['at most 150 MB', '149 (147–150) MB', 'yes'],
    ['at most 150 MB', '210 (210–210) MB', NO],
    ['at least 0.80', '0.60 (0.50–0.70)', NO],
    ['at most 0.75 s', '0.70 (0.70–0.90) s', 'yes'],
    ['at most 0.50 s', '0.50 (0.40–0.51) s', NO],
    ['at least 0.95', '0.96 (0.95–1.00)', 'yes'],
    ['at least 0.95', '0.93 (0.93–1.00)', NO],
  ]);
});
