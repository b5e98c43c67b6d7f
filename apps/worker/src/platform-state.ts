import { type CommandType, LANE_OF_COMMAND } from '#contracts';
import type { ConsumerState, MessagingHealth } from '#messaging';
import type { CircuitReport, PlatformClients } from '#platform';

const RECENTLY_MS = 60_000;

/**
 * Returns the load of each used operation of a configured operator. `inFlight` counts player commands
 * anywhere in this worker, and for reports the platform calls. `waiting` counts those that wait for a
 * connection to the platform. `overflowed` counts commands refused with `OVERLOADED` since startup because
 * the compartment had used up its share of the lane.
 */
export function compartmentsOf(
  { compartments }: Pick<MessagingHealth, 'compartments'>,
  platform: Pick<PlatformClients, 'get' | 'operations'>,
) {
  type Report = MessagingHealth['compartments'][number] & { readonly waiting: number };
  const reports = new Map<string, Report>();
  for (const { operator, operation, inFlight, waiting } of platform.operations()) {
    const report = { operator, operation, inFlight: inFlight + waiting, waiting, overflowed: 0 };
    reports.set(`${operation} ${operator}`, report);
  }
  for (const compartment of compartments) {
    const name = `${compartment.operation} ${compartment.operator}`;
    const { waiting } = reports.get(name) ?? { waiting: 0 };
    if (platform.get(compartment.operator)) reports.set(name, { ...compartment, waiting });
  }
  return [...reports.values()];
}

/**
 * Determines whether reports are consumed, from the circuits that they used in the last minute. Reports are
 * served if one circuit is closed, or if an operator has no used circuit. If every circuit is open, reports
 * pause until the first probe, and a little longer until its outcome is known. Source: bus contract, section
 * 5.
 *
 * @param operators number of operators, including those that were not called
 */
export function reportsPause(circuits: readonly CircuitReport[], operators: number, nowMs: number) {
  const used = circuits.filter(
    ({ operation, lastUsedAtMs }) =>
      LANE_OF_COMMAND[operation satisfies CommandType] === 'reports' && nowMs - lastUsedAtMs <= RECENTLY_MS,
  );
  const hasUncalled = new Set(used.map(({ operator }) => operator)).size < operators;
  const isServed = hasUncalled || used.some(({ state }) => state === 'closed');
  if (hasUncalled || used.length === 0 || used.some(isPassable)) return { pauseMs: undefined, isServed };
  return { pauseMs: Math.max(1, Math.min(...used.map(({ retryAfterMs }) => retryAfterMs ?? 0))), isServed };
}

/**
 * True if the circuit accepts a call. A half-open circuit accepts one probe, and no other call until the
 * probe has ended.
 */
function isPassable({ state, retryAfterMs = 0 }: CircuitReport): boolean {
  return state !== 'open' && retryAfterMs === 0;
}

/** True if the worker is ready: connected, and every lane is served. */
export function isServing({ isConnected, lanes }: MessagingHealth): boolean {
  return isConnected && lanes.every(({ state }) => isLaneServed(state));
}

/** True if a lane consumes, or is paused on purpose and resumes by itself. */
export function isLaneServed(state: ConsumerState): boolean {
  return state === 'consuming' || state === 'paused';
}
