import { cpus } from 'node:os';

import { processUsage } from './process-usage.ts';

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
