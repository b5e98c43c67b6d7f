import type { PlatformBehaviour } from '../../../test/support/platform-stub.ts';
import type { ChaosStage, StageWishes } from '../stage/chaos-stage.ts';

interface NamedRow {
  /** As `--only` calls it. */
  readonly name: string;
  readonly title: string;
  readonly wishes?: StageWishes;
  /** No command may take longer. Default: only its own deadline limits it. */
  readonly longestMs?: number;
}

/** One way to break something while commands are under way. */
export interface Row extends NamedRow {
  /** Breaks and mends things while the commands are sent; settles when nothing is broken any more. */
  disturb(stage: ChaosStage): Promise<void>;
}

interface Outage extends NamedRow {
  readonly what: string;
  readonly downMs: number;
  /** What the platform does meanwhile, if it is that which is broken. */
  readonly fault?: PlatformBehaviour;
  breaks?(stage: ChaosStage): unknown;
  mends?(stage: ChaosStage): unknown;
}

/** Something is broken once, and mended after some time. */
export function outage({ what, downMs, fault, breaks, mends, ...row }: Outage): Row {
  const begin = (stage: ChaosStage) => (fault ? (stage.fault = fault) : breaks?.(stage));
  const end = (stage: ChaosStage) => (fault ? (stage.fault = undefined) : mends?.(stage));
  return { ...row, disturb: (stage) => stage.outage(what, downMs, begin, end) };
}
