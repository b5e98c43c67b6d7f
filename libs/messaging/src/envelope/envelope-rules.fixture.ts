import type { ConsumeMessage } from 'amqplib';

import { ALL_CALLERS } from './envelope.ts';
import { InternalKeys } from './internal-keys.ts';
import type { EnvelopeRules } from './open-envelope.ts';
import { HeaderSeal } from './own-headers.ts';

/** 12:00 UTC of the last day of January 2026, when everything in a spec is received. */
export const RECEIVED_AT_MS = Date.UTC(2026, 0, 31, 12);

export const SEAL_OF_SPEC = new HeaderSeal(new InternalKeys(Buffer.alloc(32, 7)));

/** A message as a worker of the same key would have written it. */
export function sealed(message: ConsumeMessage): ConsumeMessage {
  const { content, properties } = message;
  const copy = { exchange: '', routingKey: '', mandatory: true, content };
  const headers = properties.headers ?? {};
  const { headers: all } = SEAL_OF_SPEC.seal({ ...copy, properties: { ...properties, headers } }).properties;
  return { ...message, properties: { ...properties, headers: all } };
}

export const ENVELOPE_RULES: EnvelopeRules = {
  maxBytes: 65_536,
  reserved: 'poker.',
  seal: SEAL_OF_SPEC,
  callers: ALL_CALLERS,
  budgetMs: { interactive: 15_000, reports: 600_000 },
  nowMs: () => RECEIVED_AT_MS,
  newId: () => 'made-up',
};
