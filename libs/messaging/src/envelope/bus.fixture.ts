import type { ConsumeMessage } from 'amqplib';

import { busNames } from '#contracts';

import type { Bus } from '../messaging-options.ts';
import { ALL_CALLERS } from './envelope.ts';
import { InternalKeys } from './internal-keys.ts';
import { HeaderSeal } from './own-headers.ts';

/** 12:00 UTC of the last day of January 2026, when everything in a spec is received. */
export const RECEIVED_AT_MS = Date.UTC(2026, 0, 31, 12);

const SEAL_OF_SPEC = new HeaderSeal(new InternalKeys(Buffer.alloc(32, 7)));

/** A message as a worker of the same key would have written it. */
export function sealed(message: ConsumeMessage): ConsumeMessage {
  const { content, properties } = message;
  const copy = { exchange: '', routingKey: '', mandatory: true, content };
  const headers = properties.headers ?? {};
  const { headers: all } = SEAL_OF_SPEC.seal({ ...copy, properties: { ...properties, headers } }).properties;
  return { ...message, properties: { ...properties, headers: all } };
}

/** What the parts of the bus share in a spec, but for the observer and the store. */
export const BUS_OF_SPEC = {
  names: busNames('poker'),
  seal: SEAL_OF_SPEC,
  callers: ALL_CALLERS,
  settings: {
    MAX_COMMAND_BYTES: 65_536,
    INTERACTIVE_DEADLINE_MS: 15_000,
    REPORTS_DEADLINE_MS: 600_000,
    REPORTS_RETRY_DELAYS_MS: [5_000, 30_000],
    REPORTS_STALL_MS: 30_000,
    DELIVERY_LIMIT: 2,
    EVENTS: 'errors',
  },
  nowMs: () => RECEIVED_AT_MS,
  newId: () => 'made-up',
} as unknown as Bus;
