import type { Delivery } from '../consuming/delivery.ts';

/** What the broker delivers for the fourth time goes into quarantine. */
const QUARANTINED_AFTER_REDELIVERIES = 3;

/** What is to be done with a message that may have killed those who started on it. */
export type Start =
  | { readonly kind: 'here' }
  /** In quarantine, one at a time, by a copy that counts this start: written before it, so that it survives what the start does. */
  | { readonly kind: 'quarantine'; readonly starts: number }
  /** Started too often and never finished. */
  | { readonly kind: 'poison' };

/**
 * Whether a message is started on where it was found. In quarantine, a copy is delivered once for each start: when the
 * broker delivers the same copy again, that start did not finish, and the next one is counted on a fresh copy.
 *
 * @param starts in quarantine, as this copy counts them
 * @param limit starts in quarantine before a message is poison
 */
export function startOf(
  { queue, message, redeliveries }: Delivery,
  quarantine: string,
  starts: number,
  limit: number,
): Start {
  const { redelivered } = message.fields;
  // At a first delivery the broker's count may be forged by the publisher: the broker sets it from the second on.
  if (!redelivered) return { kind: 'here' };
  if (queue === quarantine) {
    return starts >= limit ? { kind: 'poison' } : { kind: 'quarantine', starts: starts + 1 };
  }
  if (redeliveries < QUARANTINED_AFTER_REDELIVERIES) return { kind: 'here' };
  return { kind: 'quarantine', starts: 1 };
}
