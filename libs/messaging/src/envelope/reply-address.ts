import { DIRECT_REPLY_TO, wireBytes } from '#rabbitmq';

/** The caller of a command without a broker user. */
export const ANONYMOUS = 'anonymous';
/** The maximum length of an AMQP property. */
const MAX_BYTES = 255;

export type ReplyAddress =
  /**
   * `forbidden` is one of the service's own queues, where a reply would come back as a command, or an address
   * that this caller may not use.
   */
  | { readonly kind: 'none' | 'forbidden'; readonly queue?: undefined }
  /** `direct` is the direct reply-to key of a waiting client: delivered at most once, and never returned. */
  | { readonly kind: 'queue' | 'direct'; readonly queue: string };

/**
 * Decides which caller may send what. A caller is a broker user, as verified by the broker. Source: bus
 * contract, section 5a.
 */
export abstract class CallerPolicy {
  /** True if a caller may run a command with the credentials of an operator. */
  abstract mayRun(caller: string, operator: string, type: string): boolean;
  /**
   * True if a caller may receive its replies at a queue; direct reply-to keys are named
   * `amq.rabbitmq.reply-to`.
   */
  abstract mayReplyTo(caller: string, queue: string): boolean;
}

export const ALL_CALLERS: CallerPolicy = { mayRun: () => true, mayReplyTo: () => true };

/**
 * Returns the address in a `reply_to`.
 *
 * @param reserved the prefix and a dot: names that belong to the service
 */
export function readReplyAddress(
  replyTo: unknown,
  reserved: string,
  callers: CallerPolicy,
  caller: string,
): ReplyAddress {
  // The broker replaces the bare name by the key of the waiting client; it is left if no client waits.
  if (!isShortString(replyTo) || replyTo === '' || replyTo === DIRECT_REPLY_TO) return { kind: 'none' };
  if (replyTo.startsWith(reserved)) return { kind: 'forbidden' };
  const kind = replyTo.startsWith(`${DIRECT_REPLY_TO}.`) ? 'direct' : 'queue';
  if (!callers.mayReplyTo(caller, kind === 'direct' ? DIRECT_REPLY_TO : replyTo))
    return { kind: 'forbidden' };
  return { kind, queue: replyTo };
}

/**
 * True if a text fits into an AMQP property. A caller's text that was not UTF-8 may no longer fit: each
 * invalid byte becomes a character of three bytes.
 */
export function isShortString(value: unknown): value is string {
  return typeof value === 'string' && wireBytes(value) <= MAX_BYTES;
}
