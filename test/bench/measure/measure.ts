import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** 0 for no values. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/**
 * By the nearest rank; of an even number of values in the middle, the mean of both for the median.
 *
 * @param share 0 to 1
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = share * sorted.length;
  const at = (index: number): number => sorted[Math.min(Math.max(index, 0), sorted.length - 1)] ?? 0;
  return share === 0.5 && Number.isInteger(rank) ? (at(rank - 1) + at(rank)) / 2 : at(Math.ceil(rank) - 1);
}

/** The middle one, the smallest and the largest. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** For example `0.31 (0.29–0.35)`. */
export function withRange({ median: middle, min, max }: Spread, digits: number): string {
  return `${middle.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
}

const MIB_IN_KIB = 1_024;

/** What the operating system has noted down for a process, all its threads together. */
export interface ProcessUsage {
  /** Processor time in user and kernel mode. Steps of 10 ms. */
  readonly cpuMs: number;
  /** The most memory that it ever had resident; if the system does not keep that, what it has now. */
  readonly peakMemoryMib: number;
  /** What it has resident now. */
  readonly memoryMib: number;
}

/** @throws {Error} if there is no such process */
export function processUsage(pid: number): ProcessUsage {
  return existsSync('/proc/self/stat') ? readProc(pid) : readPs(pid);
}

let ticksPerSecond: number | undefined;

function readProc(pid: number): ProcessUsage {
  ticksPerSecond ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the name in parentheses, which may hold spaces; utime and stime are the fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kib = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
  return {
    cpuMs: ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1_000,
    peakMemoryMib: kib('VmHWM') / MIB_IN_KIB,
    memoryMib: kib('VmRSS') / MIB_IN_KIB,
  };
}

function readPs(pid: number): ProcessUsage {
  const output = execFileSync('ps', ['-o', 'time=,rss=', '-p', String(pid)], { encoding: 'utf8' });
  const [time = '', rss = ''] = output.trim().split(/\s+/);
  const memoryMib = Number(rss) / MIB_IN_KIB;
  return { cpuMs: readPsTime(time), peakMemoryMib: memoryMib, memoryMib };
}

/** `[[days-]hours:]minutes:seconds[.hundredths]` in milliseconds. */
export function readPsTime(time: string): number {
  const [rest = '', days = '0'] = time.split('-').reverse();
  const seconds = rest.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return (Number(days) * 86_400 + seconds) * 1_000;
}

/** The processes of a run. The driver is the process that measures. */
export interface Pids {
  readonly worker: number;
  readonly broker: number;
  readonly platform: number;
}

export const PARTS = ['worker', 'broker', 'platform', 'driver'] as const;
export type Part = (typeof PARTS)[number];

/** Processor time used since the machine, or each process, has started. */
export interface Usage {
  readonly atMs: number;
  readonly cpuMs: Readonly<Record<Part, number>>;
  /** Of all processors, by all processes. */
  readonly busyMs: number;
}

/** What was used between two looks, as a share of one processor's time. */
export interface Shares {
  readonly parts: Readonly<Record<Part, number>>;
  /** Of all processors, by all processes: at most as many as the machine has. */
  readonly machine: number;
}

export function usageOf({ worker, broker, platform }: Pids): Usage {
  return {
    atMs: performance.now(),
    cpuMs: {
      worker: processUsage(worker).cpuMs,
      broker: processUsage(broker).cpuMs,
      platform: processUsage(platform).cpuMs,
      driver: processUsage(process.pid).cpuMs,
    },
    busyMs: cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0),
  };
}

export function sharesBetween(before: Usage, after: Usage): Shares {
  const elapsedMs = after.atMs - before.atMs;
  const share = (part: Part): number => (after.cpuMs[part] - before.cpuMs[part]) / elapsedMs;
  return {
    parts: {
      worker: share('worker'),
      broker: share('broker'),
      platform: share('platform'),
      driver: share('driver'),
    },
    machine: (after.busyMs - before.busyMs) / elapsedMs,
  };
}

/** What all other processes had of the machine meanwhile. */
export function shareOfOthers({ parts, machine }: Shares): number {
  return machine - PARTS.reduce((sum, part) => sum + parts[part], 0);
}

const FULL = 0.9;
/** Of several processors: one may have nothing to do for a moment while another has. */
const FULL_MACHINE = 0.85;

/**
 * What keeps a closed loop from being faster: one process that fills a processor (Node.js has no more than one for its
 * own code), all processors together, or nothing but the time that answers take.
 */
export function bottleneck({ parts, machine }: Shares, processors: number): string {
  for (const part of ['worker', 'driver', 'platform'] as const) {
    if (parts[part] >= FULL) return `the ${part}`;
  }
  if (machine < FULL_MACHINE * processors) return 'waiting for answers';
  return 'the processors';
}
