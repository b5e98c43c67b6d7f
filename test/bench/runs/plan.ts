/** How much of everything one run does. */
export interface Plan {
  readonly rounds: number;
  /** Commands before the first measurement of a process. */
  readonly warmUp: number;
  /** Commands of one closed loop. */
  readonly commands: number;
  /** How long one sends at most, whatever it has sent by then. */
  readonly closedLoopMs: number;
  /** Commands that a worker has in flight at most; the driver keeps twice as many in the closed loop. */
  readonly prefetch: number;
  /** Of the commands, which are of all of them in turn. */
  readonly operators: number;
  /** The rate of the open loop. */
  readonly perSecond: number;
  readonly openLoopMs: number;
  /** How long a worker of its own has nothing but the rate of the open loop, while its memory is watched; 0 for not at all. */
  readonly moderateMs: number;
  /** Of the report that is read again and again; 0 for not at all. */
  readonly reportRecords: number;
  /** How often each start is timed; 0 for not at all. */
  readonly starts: number;
  /** Whether each round starts its processes again, or all of them run from the first to the last. */
  readonly isFresh: boolean;
}

/** About ten minutes. */
export const FULL: Plan = {
  rounds: 3,
  warmUp: 4_000,
  commands: 10_000,
  closedLoopMs: 60_000,
  prefetch: 100,
  operators: 1,
  perSecond: 300,
  openLoopMs: 10_000,
  moderateMs: 30_000,
  reportRecords: 100_000,
  starts: 5,
  isFresh: true,
};

/** Within two minutes. */
export const QUICK: Plan = {
  ...FULL,
  warmUp: 2_000,
  commands: 3_000,
  closedLoopMs: 2_000,
  openLoopMs: 2_000,
  moderateMs: 5_000,
  reportRecords: 20_000,
  starts: 1,
  isFresh: false,
};
