import type { Delivery } from '../consuming/delivery.ts';

/** Counts the starts in quarantine; written before each start, so that it survives what the start does. */
export const QUARANTINE_STARTS = 'x-quarantine-starts';

/** What the broker delivers for the fourth time goes into quarantine. */
const QUARANTINED_AFTER_REDELIVERIES = 3;

/** What is to be done with a message that may have killed those who started on it. */
export type Start =
  | { readonly kind: 'here' }
  /** In quarantine, one at a time, by a copy that counts this start. */
  | { readonly kind: 'quarantine'; readonly headers: Readonly<Record<string, number>> }
  /** Started too often and never finished. */
  | { readonly kind: 'poison' };

/**
 * Whether a message is started on where it was found. In quarantine, a copy is delivered once for each start: when the
 * broker delivers the same copy again, that start did not finish, and the next one is counted on a fresh copy.
 *
 * @param limit starts in quarantine before a message is poison
 */
export function startOf(
  { queue, message, redeliveries }: Delivery,
  quarantine: string,
  limit: number,
): Start {
  const { redelivered } = message.fields;
  // At a first delivery the broker's count may be forged by the publisher: the broker sets it from the second on.
  if (!redelivered) return { kind: 'here' };
  if (queue === quarantine) {
    const starts = Number(message.properties.headers?.[QUARANTINE_STARTS]) || 1;
    if (starts >= limit) return { kind: 'poison' };
    return { kind: 'quarantine', headers: { [QUARANTINE_STARTS]: starts + 1 } };
  }
  if (redeliveries < QUARANTINED_AFTER_REDELIVERIES) return { kind: 'here' };
  return { kind: 'quarantine', headers: { [QUARANTINE_STARTS]: 1 } };
}

/** Whether the broker delivered a message before, to a consumer that lost it; each start in quarantine is a copy of its own. */
export function isRedelivery({ message: { fields, properties } }: Delivery): boolean {
  return fields.redelivered || properties.headers?.[QUARANTINE_STARTS] !== undefined;
}
