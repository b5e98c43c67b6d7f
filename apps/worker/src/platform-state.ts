import { type CommandType, compartmentKey, LANE_OF_COMMAND } from '#contracts';
import type { ConsumerState, MessagingHealth } from '#messaging';
import type { CircuitReport, PlatformClients } from '#platform';

const RECENTLY_MS = 60_000;

/**
 * Returns the load of each used operation of a configured operator, by compartment key. `inFlight` counts
 * player commands anywhere in this worker, and for reports the platform calls. `waiting` counts those that
 * wait for a connection to the platform. `overflowed` counts commands refused with `OVERLOADED` since startup
 * because the compartment had used up its share of the lane.
 */
export function compartmentsOf(
  { compartments }: Pick<MessagingHealth, 'compartments'>,
  platform: Pick<PlatformClients, 'get' | 'operations'>,
) {
  type Report = MessagingHealth['compartments'][number] & { readonly waiting: number };
  const reports = new Map<string, Report>();
  for (const { operator, operation, inFlight, waiting } of platform.operations()) {
    const report = { operator, operation, inFlight: inFlight + waiting, waiting, overflowed: 0 };
    reports.set(compartmentKey(report), report);
  }
  for (const compartment of compartments) {
    const key = compartmentKey(compartment);
    const { waiting = 0 } = reports.get(key) ?? {};
    if (platform.get(compartment.operator)) reports.set(key, { ...compartment, waiting });
  }
  return reports;
}

/**
 * Returns how many reports can be served at once, from the circuits of reports that are not closed or were
 * used in the last minute: all if one of them is closed, or if an operator has no such circuit; otherwise one
 * while a circuit admits a probe, and none while all are open or their probes are in flight. Source: bus
 * contract, section 5.
 *
 * @param operators number of operators, including those that were not called
 */
export function reportsLimit(circuits: readonly CircuitReport[], operators: number, nowMs: number): number {
  const used = circuits.filter(
    ({ operation, state, lastUsedAtMs }) =>
      LANE_OF_COMMAND[operation satisfies CommandType] === 'reports' &&
      (state !== 'closed' || nowMs - lastUsedAtMs <= RECENTLY_MS),
  );
  const hasUncalled = new Set(used.map(({ operator }) => operator)).size < operators;
  if (hasUncalled || used.some(({ state }) => state === 'closed')) return Infinity;
  // A half-open circuit has a time to wait only while its probe is in flight.
  return used.some(({ state, retryAfterMs }) => state === 'half-open' && !retryAfterMs) ? 1 : 0;
}

/** True if the worker is ready: connected, and every lane is served. */
export function isServing({ isConnected, lanes }: MessagingHealth): boolean {
  return isConnected && lanes.every(({ state }) => isLaneServed(state));
}

/** True if a lane consumes, or is paused on purpose and resumes by itself. */
export function isLaneServed(state: ConsumerState): boolean {
  return state === 'consuming' || state === 'paused';
}
