import { ENVELOPE_RULES, SEAL_OF_SPEC } from '../envelope/envelope-rules.fixture.ts';
import { type DeliveryFacts, deliveryOf } from '../rabbitmq/consuming/delivery.fixture.ts';
import { type Command, decodeCommand } from './command.ts';

export { RECEIVED_AT_MS } from '../envelope/envelope-rules.fixture.ts';

/** A command as the pipeline has it; by default a valid `session.create` from its lane, with a reply queue. */
export function commandOf({ properties, ...facts }: DeliveryFacts = {}, rules = ENVELOPE_RULES): Command {
  const delivery = deliveryOf({
    ...facts,
    properties: { messageId: 'm-1', replyTo: 'lobby', ...properties },
  });
  return decodeCommand(delivery, rules);
}

/** The same from a copy of a worker's own, whose headers are believed. */
export function copiedCommandOf(facts: DeliveryFacts = {}): Command {
  const { content, properties } = commandOf(facts).delivery.message;
  const copy = { exchange: '', routingKey: '', mandatory: true, content };
  const headers = properties.headers ?? {};
  const sealed = SEAL_OF_SPEC.seal({ ...copy, properties: { ...properties, headers } });
  return commandOf({ ...facts, headers: sealed.properties.headers });
}
