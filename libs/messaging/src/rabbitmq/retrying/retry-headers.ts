import type { Delivery } from '../consuming/delivery.ts';

/**
 * The headers of a report that comes from a retry queue, as the broker's `x-death` tells. Of any other message
 * none: what looks like ours was made up by a caller, or belongs to another time.
 */
export function retryHeaders({ queue, message }: Delivery): Readonly<Record<string, unknown>> {
  const headers: Record<string, unknown> = message.properties.headers ?? {};
  const deaths = headers['x-death'];
  // The latest stands first.
  const from = Array.isArray(deaths) ? (deaths[0] as { queue?: unknown } | undefined)?.queue : undefined;
  return typeof from === 'string' && from.startsWith(`${queue}.retry.`) ? headers : {};
}
