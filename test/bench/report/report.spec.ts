import { describe, expect, it } from '@jest/globals';

import type { Result } from '../runs/compare.ts';
import type { Sample } from '../runs/entrant.ts';
import { plot } from './plot.ts';
import { ratiosOf } from './ratios.ts';
import { summarize } from './summary.ts';
import { busyLines, costTable, ratioLines, speedTable } from './tables.ts';
import { between } from './write-part.ts';

const SHARES = { parts: { worker: 0.5, broker: 0.4, platform: 0.1, driver: 0.1 }, machine: 1.2 };
const TALLY = { sent: 10, right: 10, wrong: 0, double: 0, stray: 0, missing: 0 };

function sample(cpuMsPerCommand: number): Sample {
  return {
    commandsPerSecond: 1_000,
    cpuMsPerCommand,
    shares: SHARES,
    cpuMsPerCommandAtRate: 2 * cpuMsPerCommand,
    p50Ms: 22,
    p99Ms: 30,
  };
}

function result(name: string, cpuMs: readonly number[], tally = TALLY): Result {
  return {
    contestant: { name, label: name.toUpperCase(), queueType: 'classic' },
    samples: cpuMs.map(sample),
    finishes: [{ tally, peakMemoryMib: 200 }],
  };
}

describe('ratios', () => {
  const results = [
    result('bare-classic', [0.1, 0.2, 0.4]),
    result('nest-classic', [0.2, 0.2, 0.2]),
    result('other', [0.1, 0.1, 0.1]),
    result('ours', [0.1, 0.19, 0.2]),
  ];

  it('are taken round by round', () => {
    const [bare] = ratiosOf(results);
    expect(bare).toMatchObject({ to: 'BARE-CLASSIC', bound: 1 });
    expect([bare?.ratio.min, bare?.ratio.median, bare?.ratio.max]).toEqual([
      expect.closeTo(0.5),
      expect.closeTo(0.95),
      expect.closeTo(1),
    ]);
  });

  it('are judged by what is wanted, if something is', () => {
    expect(ratioLines(ratiosOf(results))).toEqual([
      'OURS for one of BARE-CLASSIC, classic queue: 0.95 (0.50–1.00); wanted: at most 1.00, which holds',
      'OURS for one of NEST-CLASSIC, classic queue: 0.95 (0.50–1.00); wanted: at most 0.70, which does not hold',
      'OURS for one of OTHER, classic queue: 1.90 (1.00–2.00)',
    ]);
  });

  it('are none if ours was not measured', () => {
    expect(ratiosOf(results.slice(0, 3))).toEqual([]);
  });
});

describe('the table', () => {
  it('holds medians, their range and whether every answer was right', () => {
    const summaries = [summarize(result('bare-classic', [0.3, 0.1, 0.2]), 2)];
    const worker = ['BARE-CLASSIC', 'classic'];
    const [, cost] = costTable(summaries, 300);
    expect(cost).toEqual([...worker, '0.200 (0.100–0.300) ms', '0.400 ms', '200 MiB', '10 right']);
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

describe('the plot', () => {
  it('has a bar in proportion for each worker', () => {
    const svg = plot([result('bare-classic', [0.1]), result('ours', [0.2])].map((one) => summarize(one, 2)));
    const [peer, mine] = [...svg.matchAll(/<rect class="(peer|ours)".* width="([\d.]+)"/g)];
    expect([peer?.[1], mine?.[1]]).toEqual(['peer', 'ours']);
    expect(Number(mine?.[2]) / Number(peer?.[2])).toBeCloseTo(2, 1);
  });
});

describe('a part of the documentation', () => {
  const text = 'before\n<!-- bench: a -->\nold\n<!-- end of bench: a -->\nafter\n';

  it('is replaced between its markers', () => {
    expect(between(text, 'a', ['new', 'lines'])).toBe(
      'before\n<!-- bench: a -->\n\nnew\n\nlines\n\n<!-- end of bench: a -->\nafter\n',
    );
  });

  it('is missed if it has no place', () => {
    expect(() => between(text, 'b', [])).toThrow('no place for b');
  });
});
