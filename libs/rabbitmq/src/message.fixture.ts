import type { ConsumeMessage, MessageProperties } from 'amqplib';

export interface MessageFacts {
  /** The properties that the sender set. */
  readonly properties?: Partial<MessageProperties>;
  readonly headers?: Readonly<Record<string, unknown>>;
  /** A buffer is sent unchanged, anything else as JSON. */
  readonly body?: unknown;
  readonly routingKey?: string;
  readonly redelivered?: boolean;
}

/**
 * Returns a message as amqplib delivers it. Default: the data of a valid `session.create` without properties.
 */
export function messageOf({
  properties = {},
  headers = {},
  body = { userId: 'p-1' },
  routingKey = 'session.create',
  redelivered = false,
}: MessageFacts = {}): ConsumeMessage {
  return {
    content: Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)),
    fields: { consumerTag: 'tag', deliveryTag: 1, redelivered, exchange: 'poker.commands', routingKey },
    properties: { ...properties, headers } as MessageProperties,
  };
}
