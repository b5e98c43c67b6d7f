import type { CommandError, Violation } from '#contracts';

import type { OwnHeaders } from './own-headers.ts';

/** How a command was written, and so how its replies are. */
export type CommandForm =
  /** AMQP properties, and the data alone as body. */
  | 'typed'
  /** The packet of Nest's own RabbitMQ client: `{pattern, data, id}`. */
  | 'packet';

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
  /** What a worker noted on it before. */
  readonly own: OwnHeaders;
  /** Epoch milliseconds. */
  readonly deadlineAtMs: number;
  readonly traceparent: string | undefined;
  /** The data as parsed; nothing is known about it yet. */
  readonly data: unknown;
  /** Why the message cannot be a command at all. */
  readonly fault: CommandError | undefined;
  /** Faults of its properties and headers. */
  readonly violations: readonly Violation[];
}
