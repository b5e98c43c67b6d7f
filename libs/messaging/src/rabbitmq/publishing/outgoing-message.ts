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
