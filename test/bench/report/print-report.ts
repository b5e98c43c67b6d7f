import { markdownTable } from 'markdown-table';

import { boundTable } from './bounds.ts';
import { machineLine } from './machine.ts';
import { ratiosOf, summarize } from './summary.ts';
import {
  busyLines,
  costTable,
  ratioTable,
  type Report,
  sharesTable,
  speedTable,
  startTable,
  type Table,
} from './tables.ts';

/** Prints what a run has found out as Markdown, for docs/performance.md; the bounds last. */
export function printReport(report: Report): void {
  const { machine, plan, results, starts } = report;
  const summaries = results.map((result) => summarize(result, machine.processors));
  const tables: Table[] = [
    ...(results.length > 0
      ? [
          costTable(summaries, plan.perSecond),
          speedTable(summaries),
          sharesTable(summaries),
          ratioTable(ratiosOf(results), plan.perSecond),
        ]
      : []),
    ...(starts.length > 0 ? [startTable(report)] : []),
    boundTable(report),
  ];
  const made = `Made on ${machine.date.slice(0, 10)}, ${plan.rounds} rounds, median (least–most). ${machineLine(machine)}.`;
  const paragraphs = [
    made,
    ...tables.filter((table) => table.length > 1).map((table) => markdownTable(table)),
    ...(results.length > 0 ? busyLines(summaries, machine.processors) : []),
  ];
  console.log(`\n${paragraphs.join('\n\n')}`);
}
