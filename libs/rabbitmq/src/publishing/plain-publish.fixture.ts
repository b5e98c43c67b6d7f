import type { Publish } from './outgoing-message.ts';

/** Publishes as amqplib's documentation says. */
export const plainPublish: Publish = (
  channel,
  { exchange, routingKey, content, mandatory, properties },
  callback,
) => {
  channel.publish(exchange, routingKey, content, { ...properties, mandatory, persistent: true }, callback);
};
