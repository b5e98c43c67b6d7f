import type { ConfirmChannel } from 'amqplib';

import { abandon } from '../connection/broker-calls.ts';
import type { OutgoingCommand } from './outgoing-command.ts';

/** What became of one publish. */
export type Answer =
  | { readonly kind: 'confirmed' }
  /** No queue is bound. */
  | { readonly kind: 'returned' }
  /** A queue that is full and rejects, or that cannot be reached over this channel. */
  | { readonly kind: 'refused' }
  /** The channel has closed; with the broker's code if it was the broker's decision. */
  | { readonly kind: 'lost'; readonly code?: number | undefined; readonly reason: string };

const NACKED = 'message nacked';

/** A channel in confirm mode. The ids of the messages on it at one time must differ. */
export class ConfirmingChannel {
  readonly #channel: ConfirmChannel;
  readonly #returned = new Set<string>();
  #unanswered = 0;
  #isRetired = false;
  #closedBy: { readonly code?: number; readonly message: string } = { message: 'the connection was lost' };

  constructor(channel: ConfirmChannel) {
    this.#channel = channel;
    channel.on('error', (error: Error & { code?: number }) => (this.#closedBy = error));
    // A returned message comes before its confirm.
    channel.on('return', ({ properties }) => this.#returned.add(String(properties.messageId)));
  }

  /** Publishes mandatory. The answer may never come: a process that hangs in the broker gives none. */
  publish({ exchange, routingKey, properties, body }: OutgoingCommand): Promise<Answer> {
    return new Promise((resolve) => {
      this.#unanswered += 1;
      const answered = (error: Error | null): void => {
        this.#unanswered -= 1;
        resolve(error ? this.#failure(error) : this.#confirmed(properties.messageId));
        this.#closeIfDone();
      };
      try {
        const options = { ...properties, mandatory: true };
        this.#channel.publish(exchange, routingKey, Buffer.from(body), options, answered);
      } catch (error) {
        // It was closed in this very turn.
        answered(error as Error);
      }
    });
  }

  /** Closes once all is answered. */
  retire(): void {
    this.#isRetired = true;
    this.#closeIfDone();
  }

  #confirmed(messageId: string): Answer {
    return { kind: this.#returned.delete(messageId) ? 'returned' : 'confirmed' };
  }

  #failure({ message }: Error): Answer {
    if (message === NACKED) return { kind: 'refused' };
    return { kind: 'lost', code: this.#closedBy.code, reason: this.#closedBy.message };
  }

  #closeIfDone(): void {
    if (this.#isRetired && this.#unanswered === 0) abandon(this.#channel);
  }
}
