import type { Options } from 'amqplib';

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

/** The broker has not confirmed the message, which may have reached its queue all the same; it is not tried again. */
export class UnconfirmedError extends Error {
  override readonly name = 'UnconfirmedError';
}

/** The broker refuses this one message for good: it closes the channel that publishes it. */
export class PublishRefusedError extends Error {
  override readonly name = 'PublishRefusedError';
  /**
   * AMQP's: 403 the user may not publish there, 404 there is no such exchange, 406 a property or the size is not accepted.
   * From 500 on, the broker closes the whole connection.
   */
  readonly code: number;
  readonly exchange: string;

  constructor(code: number, exchange: string, message: string) {
    super(message);
    this.code = code;
    this.exchange = exchange;
  }
}
