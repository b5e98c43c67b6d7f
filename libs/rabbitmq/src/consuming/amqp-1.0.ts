import type { ConsumeMessage } from 'amqplib';

/** What RabbitMQ writes into `type` if a client of AMQP 1.0 sent a body that is not in data sections. */
export const ENCODED_BODY = 'amqp-1.0';
/** How clients of AMQP 1.0 address a queue. The name is percent-encoded. */
const QUEUE_ADDRESS = '/queues/';

/** A message with the reply address that a client of AMQP 0-9-1 would have sent: the broker hands on that of AMQP 1.0. */
export function asAmqp091(message: ConsumeMessage): ConsumeMessage {
  const { replyTo } = message.properties as { replyTo?: unknown };
  if (typeof replyTo !== 'string' || !replyTo.startsWith(QUEUE_ADDRESS)) return message;
  return { ...message, properties: { ...message.properties, replyTo: queueOf(replyTo) } };
}

function queueOf(address: string): string {
  try {
    return decodeURIComponent(address.slice(QUEUE_ADDRESS.length));
  } catch {
    return address;
  }
}
