import type { Operation } from '#platform';
import type { SettingName, Settings } from '#settings';

/** The settings of a worker that the simulation follows. */
export const SIMULATED_SETTINGS = [
  'INTERACTIVE_PREFETCH',
  'REPORTS_PREFETCH',
  'INTERACTIVE_DEADLINE_MS',
  'REPORTS_DEADLINE_MS',
  'PLATFORM_ATTEMPT_TIMEOUT_MS',
  'PLATFORM_MAX_ATTEMPTS',
  'PLATFORM_CONNECTIONS',
  'PLATFORM_QUEUE',
  'CIRCUIT_FAILURE_RATE',
  'CIRCUIT_MINIMUM_CALLS',
  'CIRCUIT_WINDOW_MS',
  'CIRCUIT_OPEN_MS',
  'REPORTS_RETRY_DELAYS_MS',
  'REPORTS_PER_PAGE',
  'SHUTDOWN_GRACE_MS',
] as const satisfies readonly SettingName[];

export type SimulatedSetting = (typeof SIMULATED_SETTINGS)[number];

/** How the platform fails: no connection, 503, no answer at all, or answers that take longer. */
export const OUTAGE_KINDS = ['refused', 'errors', 'silent', 'slow'] as const;

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Outage extends Span {
  readonly kind: (typeof OUTAGE_KINDS)[number];
  /** How many times as long answers take, if they are slow. */
  readonly factor: number;
  /** Default: all of them. */
  readonly operation?: Operation | undefined;
}

/** What comes in; the moments between two commands are exponentially distributed. */
export interface Load {
  /** Commands of players. */
  readonly perSecond: number;
  /** Of those, `game.open`; the others are `session.create`. 0 to 1. */
  readonly gamesShare: number;
  readonly reportsPerSecond: number;
  /** Of each report. */
  readonly pages: number;
  /** Times of `factor` as many commands of players. */
  readonly surges: readonly (Span & { readonly factor: number })[];
  /** Commands of players that come at the same moment. */
  readonly bursts: readonly { readonly atMs: number; readonly commands: number }[];
}

export interface PlatformModel {
  /** Of a player's call: the median and the 99th percentile of a lognormal distribution. */
  readonly latencyMs: number;
  readonly latencyP99Ms: number;
  /** Of a page of a report, with the same spread: the median. */
  readonly reportLatencyMs: number;
  /** Calls answered with 503 in the best of times, 0 to 1. */
  readonly failureShare: number;
  /** Calls that it serves at once; further ones wait there. 0: any number. */
  readonly callsAtOnce: number;
  readonly outages: readonly Outage[];
}

export interface WorkersModel {
  readonly min: number;
  /** More than `min`: the autoscaler adds and removes workers. */
  readonly max: number;
  /** Messages in the players' queue for each worker that the autoscaler aims at. */
  readonly scaleAt: number;
  /** Whether it also counts those in flight, or only those that nobody has taken. */
  readonly scaleOn: 'all' | 'ready';
  /** From the decision to the first command that a new worker takes. */
  readonly startMs: number;
  /** Processor time of a command; a worker has one processor. */
  readonly cpuMs: number;
  /** Until the broker confirms a reply. */
  readonly confirmMs: number;
}

/** Everything that a simulation depends on. */
export interface Scenario {
  readonly seed: number;
  readonly forMs: number;
  readonly load: Load;
  readonly platform: PlatformModel;
  readonly workers: WorkersModel;
  /** Of every worker. */
  readonly settings: Settings;
}
