import { type CommandType, type Lane, LANE_OF_COMMAND } from '#contracts';
import type { CircuitReport } from '#platform';

const RECENTLY_MS = 60_000;

/**
 * How long a lane should consume nothing: until the first probe, if every circuit that it used in the last minute is
 * open, and it used one of every operator; a little longer while the probe is in flight, since its outcome is not known
 * yet. Source: bus contract, section 5.
 *
 * @param operators how many there are: one that was not called counts as well
 */
export function lanePauseMs(
  lane: Lane,
  circuits: readonly CircuitReport[],
  operators: number,
  nowMs: number,
): number | undefined {
  const used = usedBy(lane, circuits, nowMs);
  if (operatorsOf(used) < operators || used.length === 0 || used.some(isPassable)) return undefined;
  return Math.max(1, Math.min(...used.map(({ retryAfterMs }) => retryAfterMs ?? 0)));
}

/** Whether a circuit that a lane used in the last minute is closed, or there is an operator of which it used none. */
export function isLaneServed(
  lane: Lane,
  circuits: readonly CircuitReport[],
  operators: number,
  nowMs: number,
): boolean {
  const used = usedBy(lane, circuits, nowMs);
  return operatorsOf(used) < operators || used.some(({ state }) => state === 'closed');
}

function operatorsOf(circuits: readonly CircuitReport[]): number {
  return new Set(circuits.map(({ operator }) => operator)).size;
}

function usedBy(lane: Lane, circuits: readonly CircuitReport[], nowMs: number): readonly CircuitReport[] {
  return circuits.filter(
    ({ operation, lastUsedAtMs }) =>
      LANE_OF_COMMAND[operation satisfies CommandType] === lane && nowMs - lastUsedAtMs <= RECENTLY_MS,
  );
}

/** A half-open circuit lets its probe through, and no other call until that has ended. */
function isPassable({ state, retryAfterMs = 0 }: CircuitReport): boolean {
  return state !== 'open' && retryAfterMs === 0;
}
