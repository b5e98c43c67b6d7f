import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { markdownTable } from 'markdown-table';

import { root } from '../../../scripts/root.ts';
import { boundTable, hasEveryBound } from './bounds.ts';
import { machineLine } from './machine.ts';
import { plot } from './plot.ts';
import { ratiosOf } from './ratios.ts';
import { summarize, type Summary } from './summary.ts';
import {
  busyLines,
  costTable,
  guaranteeTable,
  ratioTable,
  type Report,
  sharesTable,
  speedTable,
  startTable,
} from './tables.ts';
import { DOCUMENT, writePart } from './write-part.ts';

const PLOT = 'docs/images/cpu-of-a-command.svg';

/** Says on standard output what a run has found out; the bounds last. */
export function printReport(report: Report): void {
  const { guarantees = [], comparison = [], start = [], bounds = [] } = partsOf(report, summariesOf(report));
  console.log(`\n${[...guarantees, ...comparison, ...start, ...bounds].join('\n\n')}`);
}

/**
 * Puts what a run has found out into the documentation: each part that was measured, between its markers; that of the
 * bounds only if it has all of them.
 *
 * @returns the files that it has written
 */
export function writeReport(report: Report): string[] {
  const summaries = summariesOf(report);
  for (const [part, paragraphs] of Object.entries(partsOf(report, summaries)))
    if (part !== 'bounds' || hasEveryBound(report)) writePart(part, paragraphs);
  if (summaries.length === 0) return [DOCUMENT];
  writeFileSync(join(root, PLOT), plot(summaries));
  return [DOCUMENT, PLOT];
}

function summariesOf({ results, machine }: Report): Summary[] {
  return results.map((result) => summarize(result, machine.processors));
}

/** The paragraphs of each part that was measured. */
function partsOf(report: Report, summaries: readonly Summary[]): Record<string, readonly string[]> {
  const { machine, plan, results, starts } = report;
  const [bounds, ratios] = [boundTable(report), ratiosOf(results)];
  const inRounds = `${plan.rounds} round${plan.rounds === 1 ? '' : 's'}, the median, and in parentheses the least and the most`;
  const madeOn = (what: string): string =>
    `Made on ${machine.date.slice(0, 10)}: ${what}. ${machineLine(machine)}.`;
  return {
    ...(bounds.length > 1 && { bounds: [madeOn(inRounds), markdownTable(bounds)] }),
    ...(results.length > 0 && {
      comparison: [
        madeOn(inRounds),
        markdownTable(costTable(summaries, plan.perSecond)),
        markdownTable(speedTable(summaries)),
        markdownTable(sharesTable(summaries)),
        ...busyLines(summaries, machine.processors),
        ...(ratios.length > 0 ? [markdownTable(ratioTable(ratios, plan.perSecond))] : []),
      ],
      guarantees: [markdownTable(guaranteeTable())],
    }),
    ...(starts.length > 0 && {
      start: [
        madeOn('the median, and in parentheses the least and the most'),
        markdownTable(startTable(report)),
      ],
    }),
  };
}
