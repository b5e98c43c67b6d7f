import type { ConfirmChannel } from 'amqplib';

import type { OutgoingMessage } from './outgoing-message.ts';

/** The two halves of amqplib's own `publish`, which its types do not tell. */
interface ConfirmingChannel {
  sendMessage(method: object, properties: object, content: Buffer): boolean;
  pushConfirmCallback(callback: (error: Error | null) => void): void;
}

const PERSISTENT = 2;

/**
 * Publishes persistently on a confirm channel.
 *
 * amqplib's `publish` makes the headers of every message the prototype of another object, which costs more than all
 * the rest of it; so its two halves are called without that.
 *
 * @param callback called with the broker's answer, or when the channel closes before it
 * @throws Error `IllegalOperationError` if the channel is closed; others if the message cannot be encoded
 */
export function basicPublish(
  channel: ConfirmChannel,
  { exchange, routingKey, mandatory, properties, content }: OutgoingMessage,
  callback: (error: Error | null) => void,
): void {
  const raw = channel as unknown as ConfirmingChannel;
  raw.sendMessage(
    { exchange, routingKey, mandatory, immediate: false, ticket: 0 },
    {
      contentType: properties.contentType,
      contentEncoding: properties.contentEncoding,
      headers: properties.headers,
      deliveryMode: PERSISTENT,
      priority: properties.priority,
      correlationId: properties.correlationId,
      replyTo: properties.replyTo,
      expiration: properties.expiration,
      messageId: properties.messageId,
      timestamp: properties.timestamp,
      type: properties.type,
      userId: properties.userId,
      appId: properties.appId,
    },
    content,
  );
  raw.pushConfirmCallback(callback);
}
