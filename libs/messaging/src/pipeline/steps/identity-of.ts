import type { Command } from '../../command/command.ts';
import { fingerprintOf } from '../../envelope/fingerprint.ts';
import { QUARANTINE_STARTS, REDRIVEN } from '../../envelope/own-headers.ts';
import type { ClaimOrigin } from '../../idempotency/idempotency-store.ts';

/** What an `IdempotencyStore` knows a command by. */
export interface Identity {
  readonly identity: string;
  readonly fingerprint: string;
  readonly origin: ClaimOrigin;
}

export function identityOf({ envelope, delivery }: Command): Identity {
  const { caller, operator, id, type, data, own } = envelope;
  // Each start in quarantine is a copy of its own, and no redelivery to the broker.
  const isRedelivered = delivery.message.fields.redelivered || own[QUARANTINE_STARTS] !== undefined;
  const identity = [caller, operator, id];
  // A person wants it to be run again: the failure that it is known for is not replayed.
  if (own[REDRIVEN] !== undefined) identity.push(`redriven ${Number(own[REDRIVEN])}`);
  return {
    identity: JSON.stringify(identity),
    fingerprint: fingerprintOf(type, data),
    origin: { caller, isRedelivered },
  };
}
