import type { ConsumeMessage } from 'amqplib';

import type { OutgoingMessage } from '#rabbitmq';

import { ALL_CALLERS, ANONYMOUS, readReplyAddress } from '../envelope/reply-address.ts';
import { type InternalKeys, sealedHeadersOf } from '../envelope/seal.ts';

/** How the reasons of replies begin. An announcement is not forwarded: the listeners that took it would get it again. */
const FORWARDED = 'REPLY_QUEUE_';
/** What a reply has; a `user_id`, for example, would close the channel. */
const PROPERTIES = new Set('type correlationId messageId contentType timestamp appId'.split(' '));

/**
 * A parked reply as it was to be published, under the same `message_id`.
 *
 * @param reserved what the service's own names start with
 * @param keys prove that a worker parked it: everybody who may write to the parked replies could otherwise have the worker
 *   send anything to any queue
 * @returns undefined if no worker parked it, or it is not forwarded
 */
export function forwardedReply(
  parked: ConsumeMessage,
  reserved: string,
  keys: InternalKeys,
): OutgoingMessage | undefined {
  const { 'x-reason': reason, 'x-origin-queue': queue } = sealedHeadersOf(parked, keys);
  // A direct key belongs to a connection, and does not come back with another one.
  const address = readReplyAddress(queue, reserved, ALL_CALLERS, ANONYMOUS);
  if (!reason?.startsWith(FORWARDED) || address.kind !== 'queue') return undefined;
  const properties = Object.entries(parked.properties).filter(([name]) => PROPERTIES.has(name));
  // Headers with an `x-` were added by the service, the publisher and the broker.
  const sent = Object.entries(parked.properties.headers ?? {}).filter(([name]) => !name.startsWith('x-'));
  const headers = Object.fromEntries(sent);
  return {
    exchange: '',
    routingKey: address.queue,
    content: parked.content,
    mandatory: true,
    properties: { ...Object.fromEntries(properties), headers },
  };
}
