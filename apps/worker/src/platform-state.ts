import { type CommandType, LANE_OF_COMMAND } from '#contracts';
import type { ConsumerState, MessagingHealth } from '#messaging';
import type { CircuitReport, PlatformClients } from '#platform';

const RECENTLY_MS = 60_000;

/**
 * What each operation of a configured operator has in flight, if it was used: players' commands in this worker, wherever they
 * wait, and of reports their calls; how many of these wait for a connection to the platform; and how many were refused with
 * `OVERLOADED` so far, because the compartment held its share of the lane.
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
 * Whether reports should be taken, by the circuits that they used in the last minute: they are served if one is closed, or
 * there is an operator of which they used none. They pause until the first probe, if every circuit is open, and a little
 * longer while the probe is in flight, since its outcome is not known yet. Source: bus contract, section 5.
 *
 * @param operators how many there are: one that was not called counts as well
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

/** A half-open circuit lets its probe through, and no other call until that has ended. */
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
