import { announcedData, type Reply } from '#contracts';

import type { OutgoingMessage } from '../rabbitmq/publishing/outgoing-message.ts';
import { replyMessage, type ReplyFacts } from './reply-message.ts';

/** Which outcomes are announced (setting `EVENTS`). */
export type EventPolicy = 'errors' | 'all' | 'none';

/** Whether a final reply is announced on the events exchange. */
export function isAnnounced(reply: Reply, policy: EventPolicy): boolean {
  return policy === 'all' || (policy === 'errors' && reply.type === 'command.failed');
}

/** The announcement of a final reply: its type as routing key, for errors with the code. Source: bus contract, section 5. */
export function eventMessage(exchange: string, facts: ReplyFacts): OutgoingMessage {
  const { reply, envelope } = facts;
  const event = {
    ...facts,
    reply: { type: reply.type, data: announcedData(reply) } as Reply,
    envelope: { ...envelope, form: 'typed' as const },
  };
  return {
    ...replyMessage(event, { kind: 'queue', queue: '' }),
    exchange,
    routingKey: reply.type === 'command.failed' ? `${reply.type}.${reply.data.code}` : reply.type,
    // An announcement that nobody listens to is no fault.
    mandatory: false,
  };
}
