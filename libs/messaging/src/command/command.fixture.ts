import { BUS_OF_SPEC, sealed } from '../envelope/bus.fixture.ts';
import { type DeliveryFacts, deliveryOf } from '../../../rabbitmq/src/consuming/delivery.fixture.ts';
import type { Reply } from '#contracts';

import { openEnvelope } from '../envelope/open-envelope.ts';
import { Command } from './command.ts';

export { RECEIVED_AT_MS } from '../envelope/bus.fixture.ts';

/**
 * Returns a command as the pipeline has it; by default a valid `session.create` from its lane, with a reply
 * queue.
 */
export function commandOf({ properties, ...facts }: DeliveryFacts = {}, bus = BUS_OF_SPEC): Command {
  const delivery = deliveryOf({
    ...facts,
    properties: { messageId: 'm-1', replyTo: 'lobby', ...properties },
  });
  const envelope = openEnvelope(delivery.message, bus, delivery.bodyBytes);
  return new Command(delivery, envelope, bus.nowMs);
}

/** The same from a sealed copy, as a worker writes it. */
export function copiedCommandOf(facts: DeliveryFacts = {}): Command {
  const { headers } = sealed(commandOf(facts).delivery.message).properties;
  return commandOf({ ...facts, ...(headers && { headers }) });
}

export const pageOf = (page: number) => {
  const [report, readAt] = ['rake', '2026-01-31T12:00:00.000Z'] as const;
  const data = { report, page, pageCount: 3, perPage: 1, totalCount: 3, precisions: {}, readAt, records: [] };
  return { type: 'report.page', data } as const satisfies Reply;
};
