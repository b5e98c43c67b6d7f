import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../../../scripts/root.ts';
import { machineLine } from './machine.ts';
import { plot } from './plot.ts';
import { ratiosOf } from './ratios.ts';
import { renderMarkdown } from './render-table.ts';
import type { Report } from './report.ts';
import { summarize } from './summary.ts';
import {
  busyLines,
  costTable,
  guaranteeTable,
  ratioLines,
  startLines,
  sharesTable,
  speedTable,
  startTable,
} from './tables.ts';
import { between, DOCUMENT } from './write-part.ts';

const PLOT = 'docs/images/cpu-of-a-command.svg';

/** Puts what a run has found out into the documentation: each part that was measured, between its markers. */
export function writeDocument(report: Report): string[] {
  const { machine, plan, results, starts } = report;
  const file = join(root, DOCUMENT);
  let text = readFileSync(file, 'utf8');
  const written = [DOCUMENT];
  if (results.length > 0) {
    const summaries = results.map((result) => summarize(result, machine.processors));
    writeFileSync(join(root, PLOT), plot(summaries));
    written.push(PLOT);
    text = between(text, 'comparison', [
      madeOn(report, `${plan.rounds} rounds, the median, and in parentheses the least and the most`),
      renderMarkdown(costTable(summaries, plan.perSecond)),
      renderMarkdown(speedTable(summaries)),
      renderMarkdown(sharesTable(summaries)),
      ...busyLines(summaries, machine.processors),
      'CPU of a command:',
      listOf(ratioLines(ratiosOf(results))),
    ]);
    text = between(text, 'guarantees', [renderMarkdown(guaranteeTable())]);
  }
  if (starts.length > 0) {
    text = between(text, 'start', [
      madeOn(report, 'the median, and in parentheses the least and the most'),
      renderMarkdown(startTable(report)),
      listOf(startLines(report)),
    ]);
  }
  writeFileSync(file, text);
  return written;
}

function listOf(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

function madeOn({ machine }: Report, what: string): string {
  return `Made on ${machine.date.slice(0, 10)}: ${what}. ${machineLine(machine)}.`;
}
