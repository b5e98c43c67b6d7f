import { machineLine } from './machine.ts';
import { ratiosOf } from './ratios.ts';
import { renderText } from './render-table.ts';
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

/** Prints the results of a run, the ratios last. */
export function printReport(report: Report): void {
  const { machine, plan, results, starts } = report;
  const summaries = results.map((result) => summarize(result, machine.processors));
  const sections = [machineLine(machine)];
  if (results.length > 0) {
    sections.push(
      `Medians of ${plan.rounds} rounds (least–most), session.create, the platform answers after 20 ms, prefetch 100`,
      renderText(costTable(summaries, plan.perSecond)),
      `p50 and p99 at ${plan.perSecond} commands a second; commands a second with ${plan.inFlight} in flight`,
      renderText(speedTable(summaries)),
      `Processors in use, in a closed loop with ${plan.inFlight} commands in flight`,
      renderText(sharesTable(summaries)),
      ...busyLines(summaries, machine.processors),
      renderText(guaranteeTable()),
    );
  }
  if (starts.length > 0) sections.push(renderText(startTable(report)), startLines(report).join('\n'));
  const ratios = ratioLines(ratiosOf(results));
  if (ratios.length > 0) sections.push(['CPU of a command', ...ratios].join('\n'));
  console.log(`\n${sections.join('\n\n')}`);
}
