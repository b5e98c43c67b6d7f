import type { Result } from '../runs/compare.ts';
import type { Plan } from '../runs/plan.ts';
import type { StartResult } from '../runs/time-starts.ts';
import type { Machine } from './machine.ts';

/** All that a run has found out. */
export interface Report {
  readonly machine: Machine;
  readonly plan: Plan;
  /** Empty if nothing was compared. */
  readonly results: readonly Result[];
  /** Empty if no start was timed. */
  readonly starts: readonly StartResult[];
}
