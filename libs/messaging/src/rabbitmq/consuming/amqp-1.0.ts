import type { ConsumeMessage } from 'amqplib';

import { readAmqpValue } from './amqp-value.ts';

/** What RabbitMQ 4 writes into `type` if a client of AMQP 1.0 sent a body that is no plain bytes. */
const ENCODED = 'amqp-1.0';
/** How clients of AMQP 1.0 address a queue. The name is percent-encoded. */
const QUEUE_ADDRESS = '/queues/';

/**
 * A message as a client of AMQP 0-9-1 would have sent it: the broker hands on the body and the reply address of a client
 * of AMQP 1.0 as they are. A text is the body itself, a map is written as JSON; what cannot be read stays.
 */
export function asAmqp091(message: ConsumeMessage): ConsumeMessage {
  const { type, replyTo } = message.properties as { type?: unknown; replyTo?: unknown };
  const hasAddress = typeof replyTo === 'string' && replyTo.startsWith(QUEUE_ADDRESS);
  if (type !== ENCODED && !hasAddress) return message;
  return {
    ...message,
    content: type === ENCODED ? contentOf(message.content) : message.content,
    properties: {
      ...message.properties,
      ...(type === ENCODED && { type: undefined }),
      ...(hasAddress && { replyTo: queueOf(replyTo) }),
    },
  };
}

function contentOf(content: Buffer): Buffer {
  try {
    const value = readAmqpValue(content);
    if (Buffer.isBuffer(value)) return value;
    return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  } catch {
    return content;
  }
}

function queueOf(address: string): string {
  try {
    return decodeURIComponent(address.slice(QUEUE_ADDRESS.length));
  } catch {
    return address;
  }
}
