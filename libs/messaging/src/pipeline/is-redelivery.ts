import type { Delivery } from '../consuming/delivery.ts';
import { SUSPECT_STARTS } from './route-of.ts';

/** Whether the broker gave a command to somebody before, who lost it; each start of a suspect is a copy of its own. */
export function isRedelivery({ message: { fields, properties } }: Delivery): boolean {
  return fields.redelivered || properties.headers?.[SUSPECT_STARTS] !== undefined;
}
