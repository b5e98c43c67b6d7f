import { expect, it } from '@jest/globals';

import { FULL, type Result } from './compare.ts';
import { isFaultless, Ledger } from './driver/workload.ts';
import { describeMachine } from './measure.ts';
import { boundTable, busyLines, type Report, workerTable } from './report.ts';

const TALLY = { sent: 10, right: 10, wrong: 0, double: 0, stray: 0, missing: 0 };

function result(name: string, cpuMs: readonly number[], { tally = TALLY, others = 0.1 } = {}): Result {
  const samples = cpuMs.map((ms) => ({
    commandsPerSecond: 1_000,
    cpuMsPerCommand: ms,
    others,
    cpuMsPerCommandAtRate: 2 * ms,
    p50Ms: 22,
    p99Ms: 30,
  }));
  const contestant = { name, label: name.toUpperCase(), queueType: 'classic' as const };
  return { contestant, samples, finishes: [{ tally, peakMemoryMib: 200 }] };
}

const reportOf = (...results: Result[]): Report => ({
  machine: { ...describeMachine('4.3.6'), processors: 2 },
  plan: FULL,
  results,
  moderate: [],
  rates: undefined,
  memory: undefined,
  startsMs: [],
});

it('ratios are taken round by round, at the rate and at full speed; there are none without ours', () => {
  const client = result('rabbitmq-client-classic', [0.1, 0.2, 0.4]);
  const [, ...rows] = boundTable(reportOf(client, result('ours', [0.1, 0.19, 0.2])));
  expect(rows.slice(0, 2)).toEqual(
    ['300/s', 'full speed'].map((load) => [
      `CPU of a command at ${load} against RABBITMQ-CLIENT-CLASSIC, classic`,
      '',
      '0.95 (0.50–1.00)',
      '',
    ]),
  );
  expect(boundTable(reportOf(client))).toHaveLength(1);
});

it('the table of bounds holds what was measured against the median', () => {
  const peers = ['bare-classic', 'nest-quorum'].map((name) => result(name, [0.2]));
  const report: Report = {
    ...reportOf(...peers, result('ours', [0.19]), result('redis', [0.095])),
    moderate: [140, 142, 143].map((peakMemoryMib) => ({ tally: TALLY, peakMemoryMib })),
    rates: { bare: [100, 50, 100], ours: [50, 30, 70], faults: 0 },
    startsMs: [900, 1_100, 1_001],
  };
  expect(boundTable(report).map((row) => row.slice(1))).toEqual([
    ['bound', 'measured', 'holds'],
    ['at most 1.20', '0.95 (0.95–0.95)', 'yes'],
    ['at most 0.85', '0.95 (0.95–0.95)', 'no'],
    ['at most 1.15', '0.95 (0.95–0.95)', 'yes'],
    ['at most 0.80', '0.95 (0.95–0.95)', 'no'],
    ['at most 1.20', '0.50 (0.50–0.50)', 'yes'],
    ['at most 150 MB', '149 (147–150) MB', 'yes'],
    ['at most 150 MB', '210 (210–210) MB', 'no'],
    ['at least 0.60', '0.60 (0.50–0.70)', 'yes'],
    ['at most 0.60 s', '1.00 (0.90–1.10) s', 'no'],
  ]);
  expect(boundTable(reportOf())).toHaveLength(1);
});

it('the table of workers holds medians, their range and whether every answer was right', () => {
  const tally = { ...TALLY, right: 7, wrong: 1, double: 4, missing: 2 };
  const report = reportOf(result('bare', [0.3, 0.1, 0.2]), result('ours', [0.1], { tally }));
  const [, bare, ours] = workerTable(report);
  expect(bare?.slice(2, 8)).toEqual([
    '0.200 (0.100–0.300) ms',
    '0.400 ms',
    '210 MB',
    '10 right',
    '22.0 ms',
    '30.0 (30.0–30.0) ms',
  ]);
  expect(ours?.[5]).toBe('7 of 10 right, 1 wrong, 4 double, 0 stray, 2 missing');
});

it('the report warns if others used the machine', () => {
  const busy = result('ours', [0.1], { others: 0.8 });
  expect(busyLines(reportOf(result('ours', [0.1])))).toEqual([]);
  expect(busyLines(reportOf(busy))).toEqual([expect.stringContaining('0.8 of 2 processors')]);
});

it('the ledger of the driver counts each kind of fault', () => {
  const ledger = new Ledger();
  for (let sent = 0; sent < 4; sent += 1) ledger.next();
  expect([0, 0, 1, -1].map((sequence) => ledger.answered(sequence, true))).toEqual([
    true,
    false,
    true,
    false,
  ]);
  ledger.answered(2, false);
  expect(ledger.tally).toEqual({ sent: 4, right: 2, wrong: 1, double: 1, stray: 1, missing: 1 });
  expect(isFaultless(ledger.tally)).toBe(false);
  expect([TALLY, { ...TALLY, double: 1 }, { ...TALLY, stray: 1 }].map(isFaultless)).toEqual([
    true,
    false,
    false,
  ]);
});
