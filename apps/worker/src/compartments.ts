import type { MessagingHealth } from '#messaging';
import type { PlatformClients } from '#platform';

/** An operation of an operator, for health and metrics. */
export interface CompartmentReport {
  readonly operator: string;
  readonly operation: string;
  /** Players' commands in this worker, wherever they wait; of reports, their calls. */
  readonly inFlight: number;
  /** The part of `inFlight` that waits for a connection to the platform. */
  readonly waiting: number;
  /** Refused with `OVERLOADED` so far, because the compartment held its share of the lane. */
  readonly overflowed: number;
}

/** Every compartment that was used, of an operator that is configured. */
export function compartmentsOf(
  { compartments }: Pick<MessagingHealth, 'compartments'>,
  platform: Pick<PlatformClients, 'calls' | 'get'>,
): readonly CompartmentReport[] {
  const reports = new Map<string, CompartmentReport>();
  for (const { operator, operation, inFlight, waiting } of platform.calls()) {
    const report = { operator, operation, inFlight: inFlight + waiting, waiting, overflowed: 0 };
    reports.set(`${operation} ${operator}`, report);
  }
  for (const { operator, operation, inFlight, overflowed } of compartments) {
    const name = `${operation} ${operator}`;
    const { waiting } = reports.get(name) ?? { waiting: 0 };
    if (!platform.get(operator)) continue;
    reports.set(name, { operator, operation, inFlight, waiting, overflowed });
  }
  return [...reports.values()];
}
