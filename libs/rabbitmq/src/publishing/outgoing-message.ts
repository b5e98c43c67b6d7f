import type { ConfirmChannel, Options } from 'amqplib';

/** A message on its way out, and what the broker is asked to do with it. */
export interface OutgoingMessage {
  readonly exchange: string;
  readonly routingKey: string;
  readonly content: Buffer;
  readonly properties: Omit<Options.Publish, 'headers'> & { readonly headers: Record<string, unknown> };
  /** Whether the broker says so when no queue takes it. */
  readonly mandatory: boolean;
}

/** What the broker answered to one message. */
export type PublishOutcome =
  | 'confirmed'
  /** A mandatory message that no queue took. */
  | 'returned'
  /** A queue that is full and rejects, or that cannot be reached; two channels were told so. */
  | 'refused'
  /** Neither confirmed nor refused, by two channels. */
  | 'unanswered';

/**
 * Publishes a message persistently on a confirm channel, as amqplib's own `publish` does.
 *
 * @param callback called with the broker's answer, or when the channel closes before it
 * @throws Error `IllegalOperationError` if the channel is closed; others if the message cannot be encoded
 */
export type Publish = (
  channel: ConfirmChannel,
  message: OutgoingMessage,
  callback: (error: Error | null) => void,
) => void;
