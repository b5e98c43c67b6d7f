import { markdownTable } from 'markdown-table';

import type { RowResult } from '../play-row.ts';
import { seconds } from './result-line.ts';

const HEAD = [
  'What is broken',
  'Commands',
  'Crashes',
  'Lost',
  'Repeats',
  'Calls again',
  'Failed',
  'Stuck',
  'Back after',
  'Longest',
];

/** The results of one system in a table, which documents hold as it is. */
export function chaosTable(results: readonly RowResult[]): string {
  const rows = results.map((result) => [
    result.row.name,
    result.commands,
    result.crashes,
    result.lost + result.wrong,
    result.repeated,
    result.extraCalls,
    result.failed,
    result.stuck,
    seconds(result.recoveryMs),
    seconds(result.largestMs),
  ]);
  return markdownTable([HEAD, ...rows.map((row) => row.map(String))], {
    align: ['l', ...HEAD.slice(1).map(() => 'r')],
  });
}
