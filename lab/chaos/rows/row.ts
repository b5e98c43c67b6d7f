import type { PlatformBehaviour } from '../../../test/support/platform-stub.ts';
import type { ChaosStage, StageWishes } from '../stage/chaos-stage.ts';

interface NamedRow {
  /** The argument of `--only`. */
  readonly name: string;
  readonly title: string;
  readonly wishes?: StageWishes;
  /** The longest time that a command may take. Default: the deadline of the command. */
  readonly longestMs?: number;
}

/** A fault that is applied while commands are in flight. */
export interface Row extends NamedRow {
  /** Applies and removes the faults while the commands are sent; resolves when all are removed. */
  disturb(stage: ChaosStage): Promise<void>;
}

interface Outage extends NamedRow {
  readonly what: string;
  readonly downMs: number;
  /** The behaviour of the platform during the fault, if the platform is at fault. */
  readonly fault?: PlatformBehaviour;
  breaks?(stage: ChaosStage): unknown;
  mends?(stage: ChaosStage): unknown;
}

/** Returns a row that applies one fault, and removes it after `downMs`. */
export function outage({ what, downMs, fault, breaks, mends, ...row }: Outage): Row {
  const begin = (stage: ChaosStage) => (fault ? (stage.fault = fault) : breaks?.(stage));
  const end = (stage: ChaosStage) => (fault ? (stage.fault = undefined) : mends?.(stage));
  return { ...row, disturb: (stage) => stage.outage(what, downMs, begin, end) };
}
