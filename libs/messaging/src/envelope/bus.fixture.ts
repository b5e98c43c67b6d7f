import type { ConsumeMessage } from 'amqplib';

import { busNames } from '#contracts';

import { ALL_CALLERS } from './reply-address.ts';
import { InternalKeys, sealed as sealedBy } from './seal.ts';

/** The receipt time in all specs: 12:00 UTC on 31 January 2026. */
export const RECEIVED_AT_MS = Date.UTC(2026, 0, 31, 12);

const KEYS_OF_SPEC = new InternalKeys(Buffer.alloc(32, 7));

/** Returns a message as a worker with the same key would have written it. */
export function sealed(message: ConsumeMessage): ConsumeMessage {
  const { content, properties } = message;
  const copy = { exchange: '', routingKey: '', mandatory: true, content };
  const headers = properties.headers ?? {};
  const sent = sealedBy({ ...copy, properties: { ...properties, headers } }, KEYS_OF_SPEC).properties;
  return { ...message, properties: { ...properties, headers: sent.headers } };
}

/** Options of the parts of the bus in a spec. */
export const BUS_OF_SPEC = {
  names: busNames('poker'),
  internalKeys: KEYS_OF_SPEC,
  callers: ALL_CALLERS,
  settings: {
    MAX_COMMAND_BYTES: 65_536,
    INTERACTIVE_DEADLINE_MS: 15_000,
    REPORTS_DEADLINE_MS: 600_000,
    REPORTS_RETRY_DELAYS_MS: [5_000, 30_000],
    REPORTS_PREFETCH: 8,
    REPORTS_STALL_MS: 30_000,
    DELIVERY_LIMIT: 2,
    PLATFORM_ATTEMPT_TIMEOUT_MS: 5_000,
    EVENTS: 'errors' as const,
  },
  nowMs: () => RECEIVED_AT_MS,
  newId: () => 'made-up',
  clock: () => RECEIVED_AT_MS,
};
