import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

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
