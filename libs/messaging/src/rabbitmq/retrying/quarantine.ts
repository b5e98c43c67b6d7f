import type { Delivery } from '../consuming/delivery.ts';

/** What the broker delivers for the fourth time goes into quarantine. */
const QUARANTINED_AFTER_REDELIVERIES = 3;

/** What is to be done with a message that may have killed those who started on it. */
export type Start =
  | { readonly kind: 'here' }
  /** Here, in quarantine, and with nothing beside it that may have killed somebody either. */
  | { readonly kind: 'alone' }
  /** To quarantine, by a copy that counts this start: written before it, so that it survives what the start does. */
  | { readonly kind: 'quarantine'; readonly starts: number }
  /** The same, once it is its turn to run alone. */
  | { readonly kind: 'turn'; readonly starts: number }
  /** A start did not finish: back to its lane until it is its turn. */
  | { readonly kind: 'wait'; readonly starts: number }
  /** Started too often and never finished. */
  | { readonly kind: 'poison' };

/**
 * Whether a message is started on where it was found. In quarantine, a copy is delivered once for each start: when the
 * broker delivers the same copy again, that start did not finish. All that were in flight then go back to their lane,
 * where waiting is no start, and run alone from there on, so that the one that kills is found and no other is blamed.
 *
 * @param starts in quarantine, as this copy counts them; 0 if it has not been there
 * @param limit starts in quarantine before a message is poison
 */
export function startOf(
  { queue, message, redeliveries }: Delivery,
  quarantine: string,
  starts: number,
  limit: number,
): Start {
  const { redelivered } = message.fields;
  if (queue === quarantine) {
    if (!redelivered) return { kind: isAlone(starts, limit) ? 'alone' : 'here' };
    return starts >= limit ? { kind: 'poison' } : { kind: 'wait', starts: Math.max(1, starts) };
  }
  if (starts > 0) return { kind: 'turn', starts: starts + 1 };
  // At a first delivery the broker's count may be forged by the publisher: the broker sets it from the second on.
  if (!redelivered || redeliveries < QUARANTINED_AFTER_REDELIVERIES) return { kind: 'here' };
  return { kind: isAlone(1, limit) ? 'turn' : 'quarantine', starts: 1 };
}

/** The first start is with others, unless it is the only one. */
function isAlone(starts: number, limit: number): boolean {
  return starts > 1 || limit === 1;
}
