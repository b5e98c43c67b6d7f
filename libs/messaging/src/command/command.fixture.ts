import { type DeliveryFacts, deliveryOf } from '../rabbitmq/consuming/delivery.fixture.ts';
import { type Command, decodeCommand } from './command.ts';

/** 12:00 UTC of the last day of January 2026, when every command of a spec is received. */
export const RECEIVED_AT_MS = Date.UTC(2026, 0, 31, 12);

/** A command as the pipeline has it; by default a valid `session.create` from its lane, with a reply queue. */
export function commandOf({ properties, ...facts }: DeliveryFacts = {}): Command {
  const delivery = deliveryOf({
    ...facts,
    properties: { messageId: 'm-1', replyTo: 'lobby', ...properties },
  });
  const nowMs = () => RECEIVED_AT_MS;
  const budgetMs = { interactive: 15_000, reports: 600_000 };
  const rules = { maxBytes: 65_536, reserved: 'poker.', budgetMs, nowMs, newId: () => 'made-up' };
  return decodeCommand(delivery, rules);
}
