import { type CommandType, type Lane, LANE_OF_COMMAND } from '#contracts';
import type { CircuitReport } from '#platform';

const RECENTLY_MS = 60_000;

/**
 * How long a lane had better take nothing: until the first probe, while every circuit that it used in the last
 * minute is open; a while longer, while the probe is under way, which would else let the whole queue run past it.
 * Source: bus contract, section 5.
 */
export function lanePauseMs(
  lane: Lane,
  circuits: readonly CircuitReport[],
  nowMs: number,
): number | undefined {
  const used = usedBy(lane, circuits, nowMs);
  if (used.length === 0 || used.some(isPassable)) return undefined;
  return Math.max(1, Math.min(...used.map(({ retryAfterMs }) => retryAfterMs ?? 0)));
}

/** Whether some circuit that a lane used in the last minute is closed, or it used none. */
export function isLaneServed(lane: Lane, circuits: readonly CircuitReport[], nowMs: number): boolean {
  const used = usedBy(lane, circuits, nowMs);
  return used.length === 0 || used.some(({ state }) => state === 'closed');
}

function usedBy(lane: Lane, circuits: readonly CircuitReport[], nowMs: number): readonly CircuitReport[] {
  return circuits.filter(
    ({ operation, lastUsedAtMs }) =>
      LANE_OF_COMMAND[operation satisfies CommandType] === lane && nowMs - lastUsedAtMs <= RECENTLY_MS,
  );
}

/** A half-open circuit lets its probe through, and nobody else until that has ended. */
function isPassable({ state, retryAfterMs = 0 }: CircuitReport): boolean {
  return state !== 'open' && retryAfterMs === 0;
}
