import type { ConsumeMessage, MessageProperties, Options } from 'amqplib';

import type { OutgoingMessage } from '../rabbitmq/publishing/outgoing-message.ts';
import { PARKING_HEADERS } from './parking.ts';

/** An announcement is not among them: the listeners that took it would get it again. */
const FORWARDED: ReadonlySet<unknown> = new Set([
  'REPLY_QUEUE_GONE',
  'REPLY_QUEUE_FULL',
  'REPLY_QUEUE_UNREACHABLE',
]);
/** A key belongs to a connection, and does not come back with another one. */
const DIRECT = 'amq.rabbitmq.reply-to';
const PROPERTIES: ReadonlySet<string> = new Set([
  'type',
  'correlationId',
  'messageId',
  'contentType',
  'timestamp',
  'appId',
]);
/** What the service, the publisher and the broker added. */
const ADDED = /^x-/;

/**
 * A parked reply as it was to be published.
 *
 * @param reserved what the service's own names start with: anybody who may write to the parked replies could otherwise
 *   have the worker send commands, or park the same reply for ever
 * @returns undefined if it is none, or nothing that goes on by itself
 */
export function forwardedReply(
  { properties, content }: ConsumeMessage,
  reserved: string,
): OutgoingMessage | undefined {
  const headers: Record<string, unknown> = properties.headers ?? {};
  const queue = headers[PARKING_HEADERS.for];
  if (!FORWARDED.has(headers[PARKING_HEADERS.reason])) return undefined;
  if (typeof queue !== 'string' || queue === '') return undefined;
  if (queue.startsWith(reserved) || queue.startsWith(DIRECT)) return undefined;
  return {
    exchange: '',
    routingKey: queue,
    content,
    mandatory: true,
    properties: {
      ...pick(properties),
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !ADDED.test(name))),
    },
  };
}

/** Those that a reply has; a `user_id`, for example, would close the channel. */
function pick(properties: MessageProperties): Options.Publish {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => PROPERTIES.has(name)));
}
