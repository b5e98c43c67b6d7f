import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';

import { root } from '../../scripts/root.ts';

/** 0 for no values. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/**
 * Returns a percentile by the nearest rank. The median of an even number of values is the mean of the middle
 * two.
 *
 * @param share 0 to 1
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = share * sorted.length;
  const at = (index: number): number => sorted[Math.min(Math.max(index, 0), sorted.length - 1)] ?? 0;
  return share === 0.5 && Number.isInteger(rank) ? (at(rank - 1) + at(rank)) / 2 : at(Math.ceil(rank) - 1);
}

/** Formats the median, the smallest and the largest value, for example `0.31 (0.29–0.35)`. */
export function withRange(values: readonly number[], digits: number): string {
  const [min, max] = [Math.min(...values), Math.max(...values)];
  return `${median(values).toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
}

/** For example `OVERLOADED 3, RATE_LIMITED 1`. */
export function countsOf(codes: readonly string[]): string {
  return [...Map.groupBy(codes, (code) => code)].map(([code, same]) => `${code} ${same.length}`).join(', ');
}

const MIB_IN_KIB = 1_024;
/** Documents state memory in megabytes of a million bytes. */
export const MB_IN_MIB = 1_024 ** 2 / 1e6;

/** The resource usage that Linux reports for a process with all its threads. */
export interface ProcessUsage {
  /** CPU time in user and kernel mode, in steps of 10 ms. */
  readonly cpuMs: number;
  readonly peakMemoryMib: number;
  readonly memoryMib: number;
}

let ticksPerSecond: number | undefined;

/** @throws {Error} if the process does not exist */
export function processUsage(pid: number): ProcessUsage {
  ticksPerSecond ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the name in parentheses, which may contain spaces; utime and stime are fields 14 and
  // 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kib = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
  return {
    cpuMs: ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1_000,
    peakMemoryMib: kib('VmHWM') / MIB_IN_KIB,
    memoryMib: kib('VmRSS') / MIB_IN_KIB,
  };
}

/** The processes of a run other than the driver, which is this process. */
export type Pids = Readonly<Record<'worker' | 'broker' | 'platform', number>>;

/** CPU time used since the start of the machine or of each process. */
export interface Usage {
  readonly atMs: number;
  readonly workerMs: number;
  /** CPU time used by unrelated processes during the run. */
  readonly othersMs: number;
}

export function usageOf({ worker, ...more }: Pids): Usage {
  const workerMs = processUsage(worker).cpuMs;
  const ownMs = [process.pid, ...Object.values(more)].map((pid) => processUsage(pid).cpuMs);
  const busyMs = cpus().map(({ times }) => times.user + times.nice + times.sys + times.irq);
  return { atMs: performance.now(), workerMs, othersMs: sum(busyMs) - sum(ownMs) - workerMs };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The machine and the versions of a run. */
export interface Machine {
  readonly description: string;
  readonly processors: number;
}

const PACKAGES = ['amqplib', 'undici', '@nestjs/microservices', 'class-validator', 'rabbitmq-client'];

export function describeMachine(brokerVersion: string): Machine {
  const processors = cpus();
  const packages = PACKAGES.map((name) => `${name} ${versionOf(name)}`);
  const memoryGib = Math.round(totalmem() / 1_024 ** 3);
  const versions = [`Node.js ${process.versions.node}`, `RabbitMQ ${brokerVersion}`, ...packages].join(', ');
  return {
    description:
      `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown'}, ${memoryGib} GiB, ` +
      `${type()} ${release()}; ${versions}`,
    processors: processors.length,
  };
}

function versionOf(name: string): string {
  const text = readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
