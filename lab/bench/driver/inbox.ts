import type { Channel, Options } from 'amqplib';

/**
 * Where a worker takes commands: at an exchange, by their types, or at a queue, there also as packets of
 * Nest's client.
 */
export type Inbox = { readonly exchange: string } | { readonly queue: string; readonly isNest?: boolean };

export function inboxOf(prefix: string): Inbox {
  return { exchange: `${prefix}.commands` };
}

export interface NumberedCommand {
  readonly type: string;
  /** The correlation id has the same value. */
  readonly id: string;
  readonly data: object;
  readonly replyTo: string;
}

export function sendTo(
  inbox: Inbox,
  channel: Channel,
  { type, id, data, replyTo }: NumberedCommand,
  options: Options.Publish = {},
): void {
  const [exchange, routingKey] = 'exchange' in inbox ? [inbox.exchange, type] : ['', inbox.queue];
  const body = 'isNest' in inbox && inbox.isNest ? { pattern: type, data, id } : data;
  channel.publish(exchange, routingKey, Buffer.from(JSON.stringify(body)), {
    messageId: id,
    correlationId: id,
    replyTo,
    contentType: 'application/json',
    persistent: true,
    ...options,
  });
}
