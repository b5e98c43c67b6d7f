/** Which commands in quarantine may run at the same time: those of one level. */
export const LEVEL = {
  /** Commands that no death has interrupted, or that the latest one did not interrupt. They run together. */
  ordinary: 0,
  /** Commands that every death so far has interrupted. They run in groups. */
  suspect: 1,
  /** Long-running commands, which would keep the suspects from running apart. They start last. */
  slow: 2,
};

/** After this many interrupted starts, a command runs alone, so it starts four times at most. */
const MOST_CUTS = 3;
/** A group starts one by one within a second: most killers kill at once, and are then the last to start. */
const GROUP_MS = 1_000;
export const LONGEST_STEP_MS = 160;

/** The history of a command, carried in the headers of its copies. */
export interface History {
  readonly level: number;
  /** Interrupted starts during which nothing else ran. */
  readonly starts: number;
  /** All interrupted starts. */
  readonly cuts: number;
}

/** Commands that start one by one, and run at the same time. */
export interface Group<T> {
  readonly level: number;
  readonly commands: T[];
  /** The time between two starts. */
  readonly stepMs: number;
}

/**
 * Selects the commands that run next. A killer was interrupted by every death, so commands with fewer
 * interruptions than others are harmless. The others run in groups, in the given order.
 *
 * @param waiting at least one
 */
export function nextGroup<T extends History>(waiting: readonly T[]): Group<T> {
  const prompt = waiting.filter(({ level }) => level < LEVEL.slow);
  const candidates = prompt.length > 0 ? prompt : waiting;
  const most = Math.min(Math.max(...candidates.map(({ cuts }) => cuts)), MOST_CUTS);
  const harmless = candidates.filter(({ cuts }) => cuts === 0 || cuts < most);
  if (harmless.length > 0) return groupOf(LEVEL.ordinary, harmless);
  // A command that has died alone runs after those that have not run alone yet.
  const suspects = candidates.toSorted((a, b) => a.cuts - b.cuts);
  const size = groupSize(suspects.length, MOST_CUTS + 1 - most);
  return groupOf(prompt.length > 0 ? LEVEL.suspect : LEVEL.slow, suspects.slice(0, size));
}

function groupOf<T>(level: number, commands: T[]): Group<T> {
  return { level, commands, stepMs: Math.min(LONGEST_STEP_MS, GROUP_MS / commands.length) };
}

/**
 * Returns the size of the first group, so that the killer among some suspects is found after as few groups as
 * possible.
 *
 * @param deaths the most groups that may contain the killer, the last of which is the killer alone
 */
function groupSize(suspects: number, deaths: number): number {
  let groups = 1;
  while (reach(groups, deaths) < suspects) groups += 1;
  return reach(groups - 1, deaths - 1);
}

/** Returns the number of suspects among which this many groups find the killer. */
function reach(groups: number, deaths: number): number {
  return groups === 0 || deaths === 0 ? 1 : reach(groups - 1, deaths - 1) + reach(groups - 1, deaths);
}
