import type { ConsumeMessage } from 'amqplib';

import { busNames } from '#contracts';
import type { OutgoingMessage } from '#rabbitmq';

import { InternalKeys } from '../envelope/internal-keys.ts';
import { HeaderSeal } from '../envelope/own-headers.ts';
import type { ParkingReason } from '../observer/messaging-observer.ts';

/** An announcement does not go on by itself: the listeners that took it would get it again. */
const FORWARDED: ReadonlySet<unknown> = new Set<ParkingReason>([
  'REPLY_QUEUE_GONE',
  'REPLY_QUEUE_FULL',
  'REPLY_QUEUE_UNREACHABLE',
]);
/** A key belongs to a connection, and does not come back with another one. */
const DIRECT = 'amq.rabbitmq.reply-to';
/** What a reply has; a `user_id`, for example, would close the channel. */
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
 * @returns undefined if no worker parked it, or it is not forwarded
 */
export function forwardedReply(
  parked: ConsumeMessage,
  reserved: string,
  seal: HeaderSeal,
): OutgoingMessage | undefined {
  const { 'x-reason': reason, 'x-origin-queue': queue } = seal.open(parked);
  if (!FORWARDED.has(reason) || typeof queue !== 'string' || queue === '') return undefined;
  if (queue.startsWith(reserved) || queue.startsWith(DIRECT)) return undefined;
  const { properties, content } = parked;
  return {
    exchange: '',
    routingKey: queue,
    content,
    mandatory: true,
    properties: {
      ...pick(properties, (name) => PROPERTIES.has(name)),
      headers: pick(properties.headers ?? {}, (name) => !ADDED.test(name)),
    },
  };
}

function pick(members: object, isKept: (name: string) => boolean) {
  return Object.fromEntries(Object.entries(members).filter(([name]) => isKept(name)));
}

/**
 * A parked reply as it was to be published, under the same `message_id`, for a person who has it redelivered.
 *
 * @param internalKey of the workers
 * @returns as `forwardedReply` does
 */
export function redeliveredReply(
  parked: ConsumeMessage,
  prefix: string,
  internalKey: Buffer,
): OutgoingMessage | undefined {
  return forwardedReply(parked, busNames(prefix).reserved, new HeaderSeal(new InternalKeys(internalKey)));
}
