import type { LoadDriver } from '../driver/load-driver.ts';
import type { Plan } from '../runs/plan.ts';
import { percentile } from './statistics.ts';
import { type Pids, type Shares, sharesBetween, usageOf } from './usage.ts';

/** What one worker did in one round. */
export interface Sample {
  /** Of the closed loop. */
  readonly commandsPerSecond: number;
  /** Processor time of the worker for one command of the closed loop. */
  readonly cpuMsPerCommand: number;
  readonly shares: Shares;
  /** Processor time of the worker for one command of the open loop, in which less happens at once. */
  readonly cpuMsPerCommandAtRate: number;
  /** Of the open loop. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Measures one worker that is warm: a closed loop, then an open one. */
export async function takeSample(driver: LoadDriver, pids: Pids, plan: Plan): Promise<Sample> {
  const { inFlight, commands, closedLoopMs, perSecond, openLoopMs } = plan;
  const before = usageOf(pids);
  const closed = await driver.closedLoop({ inFlight, commands, forMs: closedLoopMs });
  const between = usageOf(pids);
  const open = await driver.openLoop({ perSecond, forMs: openLoopMs });
  const after = usageOf(pids);
  return {
    commandsPerSecond: (closed.commands / closed.elapsedMs) * 1_000,
    cpuMsPerCommand: (between.cpuMs.worker - before.cpuMs.worker) / closed.commands,
    shares: sharesBetween(before, between),
    cpuMsPerCommandAtRate: (after.cpuMs.worker - between.cpuMs.worker) / open.commands,
    p50Ms: percentile(open.latenciesMs, 0.5),
    p99Ms: percentile(open.latenciesMs, 0.99),
  };
}
