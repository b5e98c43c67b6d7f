import { markdownTable } from 'markdown-table';

import { countsOf } from '../bench/measure.ts';
import { isSound, type RowResult } from './play-row.ts';
import type { SoakChaosResult } from './soak-chaos.ts';

export function resultLine(result: RowResult): string {
  const { commands, crashes, lost, wrong, repeated, extraCalls, failures, stuck } = result;
  const codes = failures.length === 0 ? '' : ` (${countsOf(failures)})`;
  return (
    `${isSound(result) ? 'nothing lost' : 'NOT SOUND'}: ${commands} commands, ${crashes} crashes, ${lost} lost, ` +
    `${wrong} wrong, ${repeated} repeats, ${extraCalls} calls again, ${failures.length} failed${codes}, ${stuck} stuck; ` +
    `back after ${seconds(result.recoveryMs)}, longest ${seconds(result.largestMs)}; took ${seconds(result.elapsedMs)}`
  );
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

const COLUMNS: readonly (readonly [title: string, of: (result: RowResult) => string | number])[] = [
  ['What is broken', ({ row }) => row.name],
  ['Commands', ({ commands }) => commands],
  ['Crashes', ({ crashes }) => crashes],
  ['Lost', ({ lost, wrong }) => lost + wrong],
  ['Repeats', ({ repeated }) => repeated],
  ['Calls again', ({ extraCalls }) => extraCalls],
  ['Failed', ({ failures }) => failures.length],
  ['Stuck', ({ stuck }) => stuck],
  ['Back after', ({ recoveryMs }) => seconds(recoveryMs)],
  ['Longest', ({ largestMs }) => seconds(largestMs)],
];

/** Returns the results as a Markdown table, pasted into the documents unchanged. */
export function chaosTable(results: readonly RowResult[]): string {
  const rows = results.map((result) => COLUMNS.map(([, of]) => String(of(result))));
  const align = COLUMNS.map((_, index) => (index === 0 ? 'l' : 'r'));
  return markdownTable([COLUMNS.map(([title]) => title), ...rows], { align });
}

/** Returns the result of a run with random faults, as lines of text. */
export function soakChaosLines({ row, faults, samples, ...result }: SoakChaosResult): readonly string[] {
  const range = (of: (sample: SoakChaosResult['samples'][number]) => number): string => {
    const values = samples.map(of);
    return `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`;
  };
  return [
    [...faults].map(([what, times]) => `${what} ${times}×`).join(', '),
    resultLine(row),
    `the worker that lived throughout: ${range(({ inUseMib }) => inUseMib)} MiB in use, ` +
      `${range(({ openFiles }) => openFiles)} files open`,
    ...row.stories.map((story) => `    ${story}`),
    ...result.growth.map((reason) => `NOT SOUND: ${reason}`),
    result.isSound ? 'nothing lost; memory and handles are flat' : 'NOT SOUND',
  ];
}
