import type { ConsumeMessage } from 'amqplib';

import { busNames } from '#contracts';
import type { OutgoingMessage } from '#rabbitmq';

import { InternalKeys } from '../envelope/internal-keys.ts';
import { HeaderSeal } from '../envelope/own-headers.ts';
import { forwardedReply } from '../replies/forwarded-reply.ts';

/**
 * A parked reply as it was to be published, under the same `message_id`.
 *
 * @param internalKey of the workers
 * @returns undefined if it goes nowhere: it is an announcement, or went to a direct reply-to key, or no worker with this
 *   key parked it
 */
export function redeliveredReply(
  parked: ConsumeMessage,
  prefix: string,
  internalKey: Buffer,
): OutgoingMessage | undefined {
  return forwardedReply(parked, busNames(prefix).reserved, new HeaderSeal(new InternalKeys(internalKey)));
}
