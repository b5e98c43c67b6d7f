import type { Delivery } from '../consuming/delivery.ts';
import { QUARANTINE_STARTS } from './route-of.ts';

/** Whether the broker gave a command to somebody before, who lost it; each start in quarantine is a copy of its own. */
export function isRedelivery({ message: { fields, properties } }: Delivery): boolean {
  return fields.redelivered || properties.headers?.[QUARANTINE_STARTS] !== undefined;
}
