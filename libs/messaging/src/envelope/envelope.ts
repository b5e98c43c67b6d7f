import type { CommandError, Violation } from '#contracts';

import type { OwnHeaders } from './own-headers.ts';

/** The caller of a command without a broker user. */
export const ANONYMOUS = 'anonymous';
const DIRECT = 'amq.rabbitmq.reply-to';
/** A property of AMQP takes no more. */
const MAX_BYTES = 255;
/** The most that a character takes in UTF-8, as JavaScript counts characters. */
const MOST_BYTES = 3;

/** How a command was written, and so how its replies are: a packet is `{pattern, data, id}` of Nest's own RabbitMQ client. */
export type CommandForm = 'typed' | 'packet';

/** Where the replies go. */
export type ReplyAddress =
  | { readonly kind: 'none' }
  /** One of the service's own queues, where an answer would come back as a command, or none that this caller may name. */
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'queue'; readonly queue: string }
  /** The direct reply-to key of a waiting client: at most once, without a return. */
  | { readonly kind: 'direct'; readonly queue: string };

/** A command as it was read from the wire: what can be known of any message, however broken. */
export interface Envelope {
  readonly form: CommandForm;
  /** The command's identity; made up if the message has none that can be used. */
  readonly id: string;
  /** As sent; '' if there is none. */
  readonly type: string;
  readonly correlationId: string;
  readonly replyTo: ReplyAddress;
  readonly operator: string;
  /** How log lines name its player; undefined if they do not, or if it is about none. */
  readonly subject: string | undefined;
  /** The broker user that sent it, as the broker checked it; `anonymous` without one. */
  readonly caller: string;
  readonly own: OwnHeaders;
  /** Epoch milliseconds. */
  readonly deadlineAtMs: number;
  readonly traceparent: string | undefined;
  readonly data: unknown;
  /** Why the message cannot be a command at all. */
  readonly fault: CommandError | undefined;
  /** Faults of its properties and headers. */
  readonly violations: readonly Violation[];
}

/** Who may send what. A caller is a broker user, as the broker has checked it. Source: bus contract, section 5a. */
export abstract class CallerPolicy {
  /** Whether a caller may run a command with the credentials of an operator. */
  abstract mayRun(caller: string, operator: string, type: string): boolean;
  /** Whether a caller may have its replies sent there; a direct reply-to key goes by the name `amq.rabbitmq.reply-to`. */
  abstract mayReplyTo(caller: string, queue: string): boolean;
}

export const ALL_CALLERS: CallerPolicy = { mayRun: () => true, mayReplyTo: () => true };

/**
 * Where a `reply_to` leads.
 *
 * @param reserved the prefix and a dot: names that belong to the service
 */
export function readReplyAddress(
  replyTo: unknown,
  reserved: string,
  callers: CallerPolicy,
  caller: string,
): ReplyAddress {
  // The broker gives a direct key to the client that waits; the bare name is left if nobody does.
  if (!isShortString(replyTo) || replyTo === '' || replyTo === DIRECT) return { kind: 'none' };
  if (replyTo.startsWith(reserved)) return { kind: 'forbidden' };
  const kind = replyTo.startsWith(`${DIRECT}.`) ? 'direct' : 'queue';
  if (!callers.mayReplyTo(caller, kind === 'direct' ? DIRECT : replyTo)) return { kind: 'forbidden' };
  return { kind, queue: replyTo };
}

/**
 * Whether a text fits into a property of AMQP. What a caller sent fitted once, and no longer does if it was not
 * UTF-8: each other byte is read as a character of three.
 */
export function isShortString(value: unknown): value is string {
  return typeof value === 'string' && fits(value, MAX_BYTES);
}

/** Whether a text takes at most so many bytes of UTF-8; a short one is not measured. */
export function fits(text: string, maxBytes: number): boolean {
  return text.length * MOST_BYTES <= maxBytes || Buffer.byteLength(text) <= maxBytes;
}
