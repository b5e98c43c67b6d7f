import type { ConsumeMessage } from 'amqplib';

import type { OutgoingMessage } from '#rabbitmq';

import type { HeaderSeal } from '../envelope/own-headers.ts';
import { PARKED_FOR } from './refusing-queues.ts';

/** An announcement is not forwarded by itself: the listeners that took it would get it again. */
const FORWARDED: ReadonlySet<unknown> = new Set(Object.values(PARKED_FOR));
/** A key belongs to a connection, and does not come back with another one. */
const DIRECT = 'amq.rabbitmq.reply-to';
/** What a reply has; a `user_id`, for example, would close the channel. */
const PROPERTIES = new Set('type correlationId messageId contentType timestamp appId'.split(' '));

/**
 * A parked reply as it was to be published, under the same `message_id`.
 *
 * @param reserved what the service's own names start with
 * @param seal proves that a worker parked it: everybody who may write to the parked replies could otherwise have the worker
 *   send anything to any queue
 * @returns undefined if no worker parked it, or it is not forwarded
 */
export function forwardedReply(
  parked: ConsumeMessage,
  reserved: string,
  seal: HeaderSeal,
): OutgoingMessage | undefined {
  const { 'x-reason': reason, 'x-origin-queue': queue } = seal.open(parked);
  if (!FORWARDED.has(reason) || !queue) return undefined;
  if (queue.startsWith(reserved) || queue.startsWith(DIRECT)) return undefined;
  const properties = Object.entries(parked.properties).filter(([name]) => PROPERTIES.has(name));
  // Headers with an `x-` were added by the service, the publisher and the broker.
  const sent = Object.entries(parked.properties.headers ?? {}).filter(([name]) => !name.startsWith('x-'));
  const headers = Object.fromEntries(sent);
  return {
    exchange: '',
    routingKey: queue,
    content: parked.content,
    mandatory: true,
    properties: { ...Object.fromEntries(properties), headers },
  };
}
