import { markdownTable } from 'markdown-table';

import { boundTable, CPU, peakMemoryMb, type Report, type Table } from './bounds.ts';
import type { Sample } from './compare.ts';
import { isFaultless, type Tally } from './driver/load-driver.ts';
import { countsOf, median, percentile, withRange } from './measure.ts';

/** The fraction of a processor that other processes may use without a warning. */
const NOTICEABLE = 0.3;

/** Renders the CPU time of a command. */
function workerTable({ results, plan }: Report): Table {
  const head = ['worker', 'CPU a command', `at ${plan.perSecond}/s`, 'peak memory', 'answers'];
  const rows = results.map(({ contestant, samples, finishes }) => {
    const values = (figure: keyof Sample): number[] => samples.map((sample) => sample[figure]);
    return [
      contestant.label,
      `${withRange(values(CPU.full), 3)} ms`,
      `${median(values(CPU.rate)).toFixed(3)} ms`,
      `${median(peakMemoryMb(finishes)).toFixed(0)} MB`,
      answersOf(finishes.map(({ tally }) => tally)),
    ];
  });
  return [head, ...rows];
}

/** Renders latencies and throughput, which depend on everything that runs on the machine. */
function latencyTable({ results, plan }: Report): Table {
  const rows = results.map(({ contestant: { label }, samples }) => [
    label,
    `${median(samples.map(({ p50Ms }) => p50Ms)).toFixed(1)} ms`,
    `${withRange(
      samples.map(({ p99Ms }) => p99Ms),
      1,
    )} ms`,
    withRange(
      samples.map(({ commandsPerSecond }) => commandsPerSecond),
      0,
    ),
  ]);
  return [[`at ${plan.perSecond}/s`, 'p50', 'p99', 'commands a second at full speed'], ...rows];
}

function answersOf(tallies: readonly Tally[]): string {
  const sum = (of: (tally: Tally) => number): number =>
    tallies.reduce((total, tally) => total + of(tally), 0);
  const right = sum((tally) => tally.right);
  if (tallies.every(isFaultless)) return `${right} right`;
  return `${right} of ${sum(({ sent }) => sent)} right, ${sum(({ faults }) => faults)} wrong or twice`;
}

/** Returns a warning if other processes used the machine during the measurement. */
function busyLines({ results, machine: { processors } }: Report): string[] {
  const others = Math.max(...results.map(({ samples }) => median(samples.map((sample) => sample.others))));
  if (others < NOTICEABLE) return [];
  const share = `${others.toFixed(1)} of ${processors} processors`;
  return [
    `Other processes used up to ${share} meanwhile: on a quiet machine the figures are lower, and closer together.`,
  ];
}

function partLines({ rates, memory, platformMs, scaling }: Report): string[] {
  const p99 = (latenciesMs: readonly number[]): string => `${percentile(latenciesMs, 0.99).toFixed(0)} ms`;
  const throughputs = [...(scaling ?? [])].map(
    ([workers, perSecond]) => `${workers}: ${withRange(perSecond, 0)}`,
  );
  return [
    ...(platformMs.length > 0 ? [`The platform alone takes ${withRange(platformMs, 2)} ms.`] : []),
    ...(scaling ? [`Commands a second by workers: ${throughputs.join('; ')}.`] : []),
    ...(rates
      ? [
          `Reports: ${withRange(rates.ours, 1)} pages a second, the bare loop ${withRange(rates.bare, 1)}; ${rates.faults} wrong.`,
        ]
      : []),
    ...(memory
      ? [
          `A long report: ${memory.report.pages} pages in ${(memory.report.elapsedMs / 1_000).toFixed(0)} s, ` +
            `${memory.report.faults} wrong. p99 of players: ${p99(memory.alone.latenciesMs)} before, ` +
            `${p99(memory.beside.latenciesMs)} meanwhile; failed: ${countsOf(memory.beside.failures) || 'none'}.`,
        ]
      : []),
  ];
}

/** Prints the results of a run as Markdown for docs/performance.md, ready to be pasted. */
export function printReport(report: Report): void {
  const today = new Date().toISOString().slice(0, 10);
  const tables = [latencyTable(report), boundTable(report), workerTable(report)];
  const paragraphs = [
    `Made on ${today}, ${report.plan.rounds} rounds, median (least–most). ${report.machine.description}.`,
    ...partLines(report),
    ...tables.filter((table) => table.length > 1).map((table) => markdownTable(table)),
    ...(report.results.length > 0 ? busyLines(report) : []),
  ];
  console.log(`\n${paragraphs.join('\n\n')}`);
}
