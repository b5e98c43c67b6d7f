import { spreadOf, withRange } from '../measure/statistics.ts';
import { PARTS, shareOfOthers } from '../measure/usage.ts';
import type { Rates } from '../reports/compare-rates.ts';
import type { Result } from '../runs/compare.ts';
import type { Finish } from '../runs/entrant.ts';
import type { Plan } from '../runs/plan.ts';
import type { StartResult } from '../runs/time-starts.ts';
import type { Machine } from './machine.ts';
import type { Ratio, Summary } from './summary.ts';

/** All that a run has found out. */
export interface Report {
  readonly machine: Machine;
  readonly plan: Plan;
  /** Empty if nothing was compared. */
  readonly results: readonly Result[];
  /** Of workers of ours that had nothing but the moderate rate. Empty if none was measured. */
  readonly moderate: readonly Finish[];
  /** `undefined` if no report was read. */
  readonly rates: Rates | undefined;
  /** Empty if no start was timed. */
  readonly starts: readonly StartResult[];
}

/** The first row is the head. */
export type Table = readonly (readonly string[])[];

const NOTICEABLE = 0.3;

/** What a command costs. */
export function costTable(summaries: readonly Summary[], perSecond: number): Table {
  return [
    ['worker', 'queue', 'CPU a command', `at ${perSecond}/s`, 'peak memory', 'answers'],
    ...summaries.map((summary) => [
      summary.label,
      summary.queueType,
      `${withRange(summary.cpuMsPerCommand, 3)} ms`,
      `${summary.cpuMsPerCommandAtRate.median.toFixed(3)} ms`,
      `${summary.peakMemoryMb.median.toFixed(0)} MB`,
      answersOf(summary),
    ]),
  ];
}

/** Processor time of a command of ours for one of each other. */
export function ratioTable(ratios: readonly Ratio[], perSecond: number): Table {
  return [
    ['poker-bridge against', 'queue', 'CPU at full speed', `CPU at ${perSecond}/s`],
    ...ratios.map(({ label, queueType, fullSpeed, atRate }) => [
      label,
      queueType,
      withRange(fullSpeed, 2),
      withRange(atRate, 2),
    ]),
  ];
}

/** How long a command takes, how many fit into a second, and what limits that. */
export function speedTable(summaries: readonly Summary[]): Table {
  return [
    ['worker', 'queue', 'p50', 'p99', 'commands a second', 'bound by'],
    ...summaries.map(({ label, queueType, p50Ms, p99Ms, commandsPerSecond, boundBy }) => [
      label,
      queueType,
      `${p50Ms.median.toFixed(1)} ms`,
      `${withRange(p99Ms, 1)} ms`,
      withRange(commandsPerSecond, 0),
      boundBy,
    ]),
  ];
}

/** How busy each part of the comparison was, in processors. */
export function sharesTable(summaries: readonly Summary[]): Table {
  return [
    ['worker', 'queue', ...PARTS.map((part) => `${part} CPU`), 'whole machine'],
    ...summaries.map(({ label, queueType, shares }) => [
      label,
      queueType,
      ...PARTS.map((part) => shares.parts[part].toFixed(2)),
      shares.machine.toFixed(2),
    ]),
  ];
}

/** A warning if other processes used the machine during the measurement; otherwise nothing. */
export function busyLines(summaries: readonly Summary[], processors: number): string[] {
  const others = Math.max(...summaries.map(({ shares }) => shareOfOthers(shares)));
  if (others < NOTICEABLE) return [];
  const share = `${others.toFixed(1)} of ${processors} processors`;
  return [
    `Other processes used up to ${share} meanwhile: on a quiet machine the figures are lower, and closer together.`,
  ];
}

export function startTable({ starts }: Report): Table {
  return [
    ['service', 'start to first answer', 'starts'],
    ...starts.map(({ label, timesMs }) => [
      label,
      `${withRange(spreadOf(timesMs), 0)} ms`,
      String(timesMs.length),
    ]),
  ];
}

function answersOf({ isFaultless, tally }: Summary): string {
  if (isFaultless) return `${tally.right} right`;
  const { sent, right, wrong, double, stray, missing } = tally;
  return `${right} of ${sent} right, ${wrong} wrong, ${double} double, ${stray} stray, ${missing} missing`;
}
