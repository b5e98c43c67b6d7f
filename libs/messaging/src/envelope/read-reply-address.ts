import type { ReplyAddress } from './envelope.ts';
import { isShortString } from './short-string.ts';

const DIRECT = 'amq.rabbitmq.reply-to';

/**
 * Where a `reply_to` leads.
 *
 * @param reserved the prefix and a dot: names that belong to the service
 */
export function readReplyAddress(replyTo: unknown, reserved: string): ReplyAddress {
  // The broker gives a direct key to the client that waits; the bare name is left if nobody does.
  if (!isShortString(replyTo) || replyTo === '' || replyTo === DIRECT) return { kind: 'none' };
  if (replyTo.startsWith(reserved)) return { kind: 'forbidden' };
  return { kind: replyTo.startsWith(`${DIRECT}.`) ? 'direct' : 'queue', queue: replyTo };
}
