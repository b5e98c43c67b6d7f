import type { ReplyAddress } from './envelope.ts';
import { isShortString } from './short-string.ts';

const DIRECT = 'amq.rabbitmq.reply-to';

/**
 * Where a `reply_to` leads.
 *
 * @param reserved the prefix and a dot: names that belong to the service
 * @param mayReplyTo whether the caller may name a queue; a direct key goes by the name of its pseudo-queue
 */
export function readReplyAddress(
  replyTo: unknown,
  reserved: string,
  mayReplyTo: (queue: string) => boolean,
): ReplyAddress {
  // The broker gives a direct key to the client that waits; the bare name is left if nobody does.
  if (!isShortString(replyTo) || replyTo === '' || replyTo === DIRECT) return { kind: 'none' };
  if (replyTo.startsWith(reserved)) return { kind: 'forbidden' };
  const kind = replyTo.startsWith(`${DIRECT}.`) ? 'direct' : 'queue';
  if (!mayReplyTo(kind === 'direct' ? DIRECT : replyTo)) return { kind: 'forbidden' };
  return { kind, queue: replyTo };
}
