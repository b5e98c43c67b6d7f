/**
 * The levels of commands in quarantine. Commands of a lower level start first, and the others wait until
 * those have finished.
 */
export const LEVEL = {
  ordinary: 0,
  /** Started one by one; after a second death, in groups. */
  suspect: 1,
  /** The most likely killer; nothing else runs at the same time. */
  alone: 2,
  /** A long-running command, which would keep the commands that run alone from being alone. */
  slow: 3,
};

/** Most killers kill at once: a command that started so shortly before the last start is a suspect. */
const KILLS_WITHIN_MS = 150;
/** The number of parts in which the waiting commands of a level start, and the time between two parts. */
export const PACE = {
  together: { parts: 12, stepMs: 80 },
  /** Only the last command that started before a death may have caused it. */
  oneByOne: { parts: Infinity, stepMs: KILLS_WITHIN_MS + 10 },
  /** For a killer that was not among the first suspects, and therefore takes longer to kill. */
  inGroups: { parts: 8, stepMs: 1_000 },
};
/**
 * A command that is not slow runs alone after this many interrupted starts, so it starts four times at most.
 */
const MOST_CUTS = 3;

/** The history of a command, carried in the headers of its copies. */
export interface History {
  readonly level: number;
  /** Interrupted starts during which nothing else ran. */
  readonly starts: number;
  /** All interrupted starts. */
  readonly cuts: number;
}

/** An interrupted start, in relation to the others that the same death interrupted. */
export interface Interruption {
  /** Time between this start and the last interrupted start. */
  readonly beforeMs: number;
  /** True if no other start was interrupted. */
  readonly isOnly: boolean;
  /** The time after which a command counts as slow. */
  readonly patienceMs: number;
}

/**
 * Records an interrupted start.
 *
 * @returns the new history, and whether the start proves that the command kills: nothing else ran
 */
export function interrupted(
  { level, starts, cuts: before }: History,
  { beforeMs, isOnly, patienceMs }: Interruption,
): { readonly record: History; readonly wasAlone: boolean } {
  const cuts = before + 1;
  // Other commands that started later ran at the same time when it was interrupted.
  const wasAlone = isOnly || (level === LEVEL.alone && beforeMs === 0);
  const record = wasAlone
    ? { level: LEVEL.alone, starts: starts + 1, cuts }
    : { level: levelAfter(level, cuts, beforeMs, patienceMs), starts, cuts };
  return { record, wasAlone };
}

function levelAfter(level: number, cuts: number, beforeMs: number, patienceMs: number): number {
  if (beforeMs > patienceMs) return LEVEL.slow;
  if (cuts >= MOST_CUTS) return LEVEL.alone;
  const isLast = beforeMs <= KILLS_WITHIN_MS;
  if (level === LEVEL.suspect) return isLast ? LEVEL.alone : LEVEL.ordinary;
  return isLast || cuts > 1 ? LEVEL.suspect : LEVEL.ordinary;
}
