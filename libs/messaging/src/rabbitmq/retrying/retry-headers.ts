import type { Delivery } from '../consuming/delivery.ts';

/**
 * The headers of a message that comes from a retry queue, as the broker's `x-death` tells. None of any other
 * message: what looks like ours was forged by its publisher, or belongs to an earlier delivery.
 */
export function retryHeaders({ queue, message }: Delivery): Readonly<Record<string, unknown>> {
  const headers: Record<string, unknown> = message.properties.headers ?? {};
  const deaths = headers['x-death'];
  // The latest stands first.
  const from = Array.isArray(deaths) ? (deaths[0] as { queue?: unknown } | undefined)?.queue : undefined;
  return typeof from === 'string' && from.startsWith(`${queue}.retry.`) ? headers : {};
}
