import { DIRECT_REPLY_TO, wireBytes } from '#rabbitmq';

/** The caller of a command without a broker user. */
export const ANONYMOUS = 'anonymous';
/** A property of AMQP takes no more. */
const MAX_BYTES = 255;
/** The most that a character takes in UTF-8, as JavaScript counts characters. */
const MOST_BYTES = 3;

/** Where the replies go. */
export type ReplyAddress =
  /** Forbidden is one of the service's own queues, where an answer would come back as a command, and what this caller may not name. */
  | { readonly kind: 'none' | 'forbidden'; readonly queue?: undefined }
  /** Direct is the direct reply-to key of a waiting client: at most once, without a return. */
  | { readonly kind: 'queue' | 'direct'; readonly queue: string };

/** Who may send what. A caller is a broker user, as the broker has checked it. Source: bus contract, section 5a. */
export abstract class CallerPolicy {
  /** Whether a caller may run a command with the credentials of an operator. */
  abstract mayRun(caller: string, operator: string, type: string): boolean;
  /** Whether a caller may have its replies sent there; a direct reply-to key goes by the name `amq.rabbitmq.reply-to`. */
  abstract mayReplyTo(caller: string, queue: string): boolean;
}

export const ALL_CALLERS: CallerPolicy = { mayRun: () => true, mayReplyTo: () => true };

/** Where a `reply_to` leads. @param reserved the prefix and a dot: names that belong to the service */
export function readReplyAddress(
  replyTo: unknown,
  reserved: string,
  callers: CallerPolicy,
  caller: string,
): ReplyAddress {
  // The broker gives a direct key to the client that waits; the bare name is left if nobody does.
  if (!isShortString(replyTo) || replyTo === '' || replyTo === DIRECT_REPLY_TO) return { kind: 'none' };
  if (replyTo.startsWith(reserved)) return { kind: 'forbidden' };
  const kind = replyTo.startsWith(`${DIRECT_REPLY_TO}.`) ? 'direct' : 'queue';
  if (!callers.mayReplyTo(caller, kind === 'direct' ? DIRECT_REPLY_TO : replyTo))
    return { kind: 'forbidden' };
  return { kind, queue: replyTo };
}

/**
 * Whether a text fits into a property of AMQP. What a caller sent fitted once, and no longer does if it was not
 * UTF-8: each other byte is read as a character of three.
 */
export function isShortString(value: unknown): value is string {
  return typeof value === 'string' && fits(value, MAX_BYTES);
}

/** Whether a text takes at most so many bytes; a short one is not measured. */
export function fits(text: string, maxBytes: number): boolean {
  return text.length * MOST_BYTES <= maxBytes || wireBytes(text) <= maxBytes;
}
