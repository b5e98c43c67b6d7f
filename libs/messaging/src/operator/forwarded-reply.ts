import type { ConsumeMessage } from 'amqplib';

import type { OutgoingMessage } from '#rabbitmq';

import { ALL_CALLERS, ANONYMOUS, readReplyAddress } from '../envelope/reply-address.ts';
import { type InternalKeys, sealedHeadersOf } from '../envelope/seal.ts';

/**
 * The prefix of the reasons of parked replies. Announcements are not forwarded, because the listeners that
 * accepted them would receive them again.
 */
const FORWARDED = 'REPLY_QUEUE_';

type Properties = OutgoingMessage['properties'];

/**
 * Returns a parked reply as it was first published, under the same `message_id`.
 *
 * @param reserved the prefix of the service's own names
 * @param keys prove that a worker parked it: otherwise, anyone who may write to the queue could have the
 *   worker send any message to any queue
 * @returns undefined if no worker parked it, or if it is not forwarded
 */
export function forwardedReply(
  parked: ConsumeMessage,
  reserved: string,
  keys: InternalKeys,
): OutgoingMessage | undefined {
  const { 'x-reason': reason, 'x-origin-queue': queue } = sealedHeadersOf(parked, keys);
  // A direct reply-to key belongs to a connection, and does not come back with another one.
  const address = readReplyAddress(queue, reserved, ALL_CALLERS, ANONYMOUS);
  if (!reason?.startsWith(FORWARDED) || address.kind !== 'queue') return undefined;
  const own = parked.properties as Properties;
  const headers: Properties['headers'] = {};
  // Headers with the prefix `x-` were added by the service, the publisher or the broker.
  for (const [name, value] of Object.entries(own.headers ?? {}))
    if (!name.startsWith('x-')) headers[name] = value;
  // Another property, such as `user_id`, would close the channel.
  const { type, correlationId, messageId, contentType, timestamp, appId } = own;
  // Absent properties are undefined, and are not sent.
  const properties = { type, correlationId, messageId, contentType, timestamp, appId, headers } as Properties;
  return { exchange: '', routingKey: address.queue, content: parked.content, mandatory: true, properties };
}
