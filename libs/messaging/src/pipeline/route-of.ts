import { type BusNames, isCommandType, LANE_OF_COMMAND } from '#contracts';

import type { CommandInHand } from './command-in-hand.ts';

/** Counts the starts in quarantine; written before each start, so that it survives what the start does. */
export const QUARANTINE_STARTS = 'x-quarantine-starts';

/** A command that the broker delivers for the fourth time goes into quarantine. Source: bus contract, section 5. */
const QUARANTINED_AFTER_REDELIVERIES = 3;

/** Where a command belongs. */
export type Route =
  | { readonly kind: 'here' }
  /** To another queue, by a copy. */
  | { readonly kind: 'move'; readonly queue: string; readonly headers: Readonly<Record<string, number>> }
  /** Started too often and never finished. */
  | { readonly kind: 'poison' };

/**
 * Whether a command is handled where it was found. There, it is delivered once for each start: when the broker
 * delivers the same copy again, that start did not finish, and the next one is counted on a fresh copy.
 */
export function routeOf(
  { delivery, envelope }: CommandInHand,
  names: BusNames,
  deliveryLimit: number,
): Route {
  // A copy would not show what is wrong with it, and nothing is done for it but to answer.
  if (envelope.violations.length > 0) return { kind: 'here' };
  if (delivery.queue === names.quarantine) {
    if (!delivery.message.fields.redelivered) return { kind: 'here' };
    const starts = Number(delivery.message.properties.headers?.[QUARANTINE_STARTS]) || 1;
    if (starts >= deliveryLimit) return { kind: 'poison' };
    return { kind: 'move', queue: names.quarantine, headers: { [QUARANTINE_STARTS]: starts + 1 } };
  }
  // At a first delivery the count is a caller's own: the broker sets it from the second on.
  const { redelivered } = delivery.message.fields;
  if (redelivered && delivery.redeliveries >= QUARANTINED_AFTER_REDELIVERIES) {
    return { kind: 'move', queue: names.quarantine, headers: { [QUARANTINE_STARTS]: 1 } };
  }
  if (!isCommandType(envelope.type)) return { kind: 'here' };
  const lane = names.lanes[LANE_OF_COMMAND[envelope.type]];
  return lane === delivery.queue ? { kind: 'here' } : { kind: 'move', queue: lane, headers: {} };
}
