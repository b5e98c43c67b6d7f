import { readFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';

import { markdownTable } from 'markdown-table';

import { root } from '../../../scripts/root.ts';
import { PARTS, shareOfOthers, type Spread, spreadOf, withRange } from '../measure/measure.ts';
import { LEAST_SHARE, type Rates, rateShare } from '../reports/compare-rates.ts';
import type { Finish, Plan, Result } from '../runs/compare.ts';
import { NPM_RUN_WORKER, type StartResult } from '../runs/time-starts.ts';
import { peakMemoryMb, type Ratio, ratiosOf, summarize, type Summary } from './summary.ts';

/** What one figure of this worker is to be. */
interface Bound {
  readonly what: string;
  readonly most?: number;
  readonly least?: number;
  readonly unit?: string;
  /** `undefined` if it was not measured. */
  readonly measured: Spread | undefined;
}

const MOST_MEMORY_MB = 160;
const MOST_START_SECONDS = 1;

/** The most that a command may cost, for one of a peer. */
const MOST_CPU = [
  { load: 'atRate', kind: 'bare', name: 'the bare loop', most: 1 },
  { load: 'fullSpeed', kind: 'bare', name: 'the bare loop', most: 1 },
  { load: 'fullSpeed', kind: 'nest', name: 'Nest’s own transport', most: 0.7 },
] as const;

/** Each bound that something was measured for, and whether the median holds it. */
export function boundTable(report: Report): Table {
  const rows = boundsOf(report).flatMap(({ what, most, least, unit = '', measured }) => {
    if (measured === undefined) return [];
    const digits = unit === ' MB' ? 0 : 2;
    const bound = `at ${most === undefined ? 'least' : 'most'} ${(most ?? least)?.toFixed(digits)}${unit}`;
    const holds = measured.median <= (most ?? Infinity) && measured.median >= (least ?? -Infinity);
    return [[what, bound, `${withRange(measured, digits)}${unit}`, holds ? 'yes' : 'no']];
  });
  return [['what', 'bound', 'measured', 'holds'], ...rows];
}

function boundsOf({ plan, results, moderate, rates, starts }: Report): Bound[] {
  const ratios = ratiosOf(results);
  const ours = results.find(({ contestant }) => contestant.name === 'ours');
  const start = starts.find(({ name }) => name === NPM_RUN_WORKER);
  const rate = `${plan.perSecond}/s`;
  const memory = { most: MOST_MEMORY_MB, unit: ' MB' };
  return [
    ...cpuBounds(ratios, rate),
    {
      what: `peak memory at ${rate} alone`,
      ...memory,
      measured: moderate.length > 0 ? peakMemoryMb(moderate) : undefined,
    },
    { what: 'peak memory at full speed', ...memory, measured: ours && peakMemoryMb(ours.finishes) },
    {
      what: 'pages of a report a second against the bare loop',
      least: LEAST_SHARE,
      measured: rates && rateShare(rates),
    },
    {
      what: '`npm run worker` to the first reply',
      most: MOST_START_SECONDS,
      unit: ' s',
      measured: start && spreadOf(start.timesMs.map((ms) => ms / 1_000)),
    },
  ];
}

function cpuBounds(ratios: readonly Ratio[], rate: string): Bound[] {
  return MOST_CPU.flatMap(({ load, kind, name, most }) =>
    ['classic', 'quorum'].map((queueType) => ({
      what: `CPU of a command at ${load === 'atRate' ? rate : 'full speed'} against ${name}, ${queueType}`,
      most,
      measured: ratios.find((ratio) => ratio.name === `${kind}-${queueType}`)?.[load],
    })),
  );
}

/** The machine and the versions of a run. */
export interface Machine {
  /** ISO 8601. */
  readonly date: string;
  readonly processor: string;
  readonly processors: number;
  readonly memoryGib: number;
  readonly system: string;
  /** By name, of Node.js, RabbitMQ and the libraries that are compared. */
  readonly versions: Readonly<Record<string, string>>;
}

const PACKAGES = ['amqplib', 'undici', '@nestjs/microservices', 'class-validator', 'rabbitmq-client'];

export function describeMachine(brokerVersion: string): Machine {
  const processors = cpus();
  return {
    date: new Date().toISOString(),
    processor: processors[0]?.model.trim() ?? 'unknown',
    processors: processors.length,
    memoryGib: Math.round(totalmem() / 1_024 ** 3),
    system: `${type()} ${release()}`,
    versions: {
      'Node.js': process.versions.node,
      RabbitMQ: brokerVersion,
      ...Object.fromEntries(PACKAGES.map((name) => [name, versionOf(name)])),
    },
  };
}

export function machineLine({ processor, processors, memoryGib, system, versions }: Machine): string {
  const list = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `${processors} × ${processor}, ${memoryGib} GiB, ${system}; ${list.join(', ')}`;
}

function versionOf(name: string): string {
  const text = readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

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
function sharesTable(summaries: readonly Summary[]): Table {
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

function startTable({ starts }: Report): Table {
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
