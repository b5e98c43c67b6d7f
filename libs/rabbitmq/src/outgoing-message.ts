import type { Options } from 'amqplib';

export interface OutgoingMessage {
  readonly exchange: string;
  readonly routingKey: string;
  readonly content: Buffer;
  readonly properties: Omit<Options.Publish, 'headers'> & { readonly headers: Record<string, unknown> };
  /** If true, the broker returns the message when no queue is bound. */
  readonly mandatory: boolean;
}

/** The broker's answer to one message. */
export type PublishOutcome =
  | 'confirmed'
  /** No queue is bound for a mandatory message. */
  | 'returned'
  /** A queue is full or unreachable, according to two channels. */
  | 'refused'
  /** Two channels got no answer. */
  | 'unanswered';

/**
 * The broker has not confirmed the message, which may nevertheless have reached its queue. It is not retried.
 */
export class UnconfirmedError extends Error {
  override readonly name = 'UnconfirmedError';
}

/** The broker permanently refuses this message: it closes the channel that publishes it. */
export class PublishRefusedError extends Error {
  override readonly name = 'PublishRefusedError';
  /**
   * The AMQP reply code. 403: the user may not publish to the exchange. 404: the exchange does not exist.
   * 406: a property or the size is not accepted. From 500 on, the broker closes the whole connection.
   */
  readonly code: number;
  readonly exchange: string;

  constructor(code: number, exchange: string, message: string) {
    super(message);
    this.code = code;
    this.exchange = exchange;
  }
}
