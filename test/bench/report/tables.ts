import { spreadOf, withRange } from '../measure/statistics.ts';
import { PARTS, shareOfOthers } from '../measure/usage.ts';
import type { Result } from '../runs/compare.ts';
import type { Plan } from '../runs/plan.ts';
import type { StartResult } from '../runs/time-starts.ts';
import { GUARANTEES, KINDS } from './guarantees.ts';
import type { Machine } from './machine.ts';
import type { Ratio } from './ratios.ts';
import type { Summary } from './summary.ts';

/** All that a run has found out. */
export interface Report {
  readonly machine: Machine;
  readonly plan: Plan;
  /** Empty if nothing was compared. */
  readonly results: readonly Result[];
  /** Empty if no start was timed. */
  readonly starts: readonly StartResult[];
}

/** The first row is the head. */
export type Table = readonly (readonly string[])[];

/** How long a start may take, from `npm run worker` to the first reply. */
const START_BOUND_MS = 1_500;

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

      `${summary.peakMemoryMib.median.toFixed(0)} MiB`,
      answersOf(summary),
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

export function guaranteeTable(): Table {
  return [
    ['guarantee', 'bare loop', 'Nest’s own', 'rabbitmq-client', 'poker-bridge'],
    ...GUARANTEES.map(({ text, keptBy }) => [
      text,
      ...KINDS.map((kind) => (keptBy.includes(kind) ? 'yes' : '–')),
    ]),
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

/** One sentence for each ratio, with its bound. */
export function ratioLines(ratios: readonly Ratio[]): string[] {
  return ratios.map(({ of, to, queueType, ratio, bound }) => {
    const judgement =
      bound === undefined
        ? ''
        : `; wanted: at most ${bound.toFixed(2)}, which ${ratio.median <= bound ? 'holds' : 'does not hold'}`;
    return `${of} for one of ${to}, ${queueType} queue: ${withRange(ratio, 2)}${judgement}`;
  });
}

/** One sentence for each of our starts, with its bound. */
export function startLines({ starts }: Report): string[] {
  const nest = starts.find(({ name }) => name === 'nest-hello-world');
  return starts
    .filter((start) => start !== nest)
    .map(({ label, timesMs }) => {
      const { median } = spreadOf(timesMs);
      const holds = median < START_BOUND_MS ? 'holds' : 'does not hold';
      return `${label}: first answer after ${median.toFixed(0)} ms; wanted: under ${START_BOUND_MS} ms, which ${holds}`;
    });
}

function answersOf({ isFaultless, tally }: Summary): string {
  if (isFaultless) return `${tally.right} right`;
  const { sent, right, wrong, double, stray, missing } = tally;
  return `${right} of ${sent} right, ${wrong} wrong, ${double} double, ${stray} stray, ${missing} missing`;
}
