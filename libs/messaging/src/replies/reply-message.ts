import { isFinalReplyType, type Reply, SCHEMA_VERSION } from '#contracts';

import type { Envelope } from '../envelope/envelope.ts';
import type { OutgoingMessage } from '../rabbitmq/publishing/outgoing-message.ts';

/** The sender of every message of this service. */
const APP_ID = 'poker-bridge';

export interface ReplyFacts {
  readonly envelope: Envelope;
  readonly reply: Reply;
  /** From 0, over the replies of one command. */
  readonly sequence: number;
  readonly messageId: string;
  readonly nowMs: number;
}

/** Whether a reply is the last of its command. */
export function isFinal({ type }: Reply): boolean {
  return isFinalReplyType(type);
}

/**
 * A reply as its AMQP message, addressed to a queue. Source: bus contract, section 3.
 *
 * @param content default: the reply, serialized
 */
export function replyMessage(
  facts: ReplyFacts,
  address: { kind: 'queue' | 'direct'; queue: string },
  content: Buffer = Buffer.from(textOf(facts)),
): OutgoingMessage {
  const { envelope, reply, sequence, messageId, nowMs } = facts;
  const final = isFinal(reply);
  const headers: OutgoingMessage['properties']['headers'] = {
    'command-id': envelope.id,
    'command-type': envelope.type,
    sequence,
    final,
    'schema-version': SCHEMA_VERSION,
  };
  if (envelope.traceparent !== undefined) headers['traceparent'] = envelope.traceparent;
  return {
    exchange: '',
    routingKey: address.queue,
    content,
    // RabbitMQ 3 returns even what it delivered to a direct key.
    mandatory: address.kind === 'queue',
    properties: {
      type: reply.type,
      correlationId: envelope.correlationId,
      messageId,
      contentType: 'application/json',
      timestamp: Math.floor(nowMs / 1000),
      appId: APP_ID,
      headers,
    },
  };
}

/** The body of a reply. */
export function textOf({ envelope, reply }: Pick<ReplyFacts, 'envelope' | 'reply'>): string {
  const isPacket = envelope.form === 'packet';
  return JSON.stringify(isPacket ? packetOf(reply, envelope.id, isFinal(reply)) : reply.data);
}

/** The packet that Nest's own client understands: an error, or a value that may be the last. */
function packetOf(reply: Reply, id: string, final: boolean): object {
  if (reply.type === 'command.failed') return { err: reply.data, isDisposed: true, id };
  return { response: reply.data, ...(final && { isDisposed: true }), id };
}
