import type { ConsumeMessage, MessageProperties, Options } from 'amqplib';

import type { OutgoingMessage } from '#rabbitmq';

import { type HeaderSeal, ORIGIN_QUEUE, REASON } from '../envelope/own-headers.ts';
import { PARKING_REASONS } from '../observer/messaging-observer.ts';

const FORWARDED: ReadonlySet<unknown> = new Set(
  Object.entries(PARKING_REASONS).flatMap(([reason, { goesOn }]) => (goesOn ? [reason] : [])),
);
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
 * @param reserved what the service's own names start with
 * @param seal proves that a worker parked it: everybody who may write to the parked replies could otherwise have the worker
 *   send anything to any queue
 * @returns undefined if it is none, or nothing that goes on by itself
 */
export function forwardedReply(
  parked: ConsumeMessage,
  reserved: string,
  seal: HeaderSeal,
): OutgoingMessage | undefined {
  const own = seal.open(parked);
  const queue = own[ORIGIN_QUEUE];
  if (!FORWARDED.has(own[REASON])) return undefined;
  if (typeof queue !== 'string' || queue === '') return undefined;
  if (queue.startsWith(reserved) || queue.startsWith(DIRECT)) return undefined;
  const { properties, content } = parked;
  const headers: Record<string, unknown> = properties.headers ?? {};
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
