import type { ConfirmChannel, Options } from 'amqplib';

/** What the broker said of one message. */
export type PublishOutcome =
  | 'confirmed'
  /** A mandatory message that no queue took. */
  | 'returned'
  /** A queue that is full and rejects, or that could not store it. */
  | 'refused';

export interface OutgoingMessage {
  readonly exchange: string;
  readonly routingKey: string;
  readonly content: Buffer;
  readonly properties: Omit<Options.Publish, 'headers'> & { readonly headers: Record<string, unknown> };
  /** Whether the broker says so when no queue takes it. */
  readonly mandatory: boolean;
}

/** Nobody knows whether the broker has the message, and nobody waits for it any more. */
export class UnconfirmedError extends Error {
  override readonly name = 'UnconfirmedError';
}

/** Matches a return to its publish: message ids repeat over operators and redeliveries. */
const PUBLISH_ID = 'x-publish-id';
const NACKED = 'message nacked';
/** A message that closes the channel each time must not do so for ever. */
const MAX_LOSSES = 20;

/** Publishes persistently on one confirm channel at a time, again on the next one for as long as it is wanted. */
export class ConfirmedPublisher {
  readonly #returned = new Set<string>();
  #channel: ConfirmChannel | undefined;
  #waiting: (() => void)[] = [];
  #closed = false;
  #publishes = 0;

  /** Takes a fresh channel into use, until it closes. */
  attach(channel: ConfirmChannel): void {
    channel.on('return', ({ properties }) => this.#returned.add(String(properties.headers?.[PUBLISH_ID])));
    channel.on('close', () => {
      if (this.#channel === channel) this.#channel = undefined;
    });
    this.#channel = channel;
    this.#wake();
  }

  /** Lets everyone who waits for a channel go. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /**
   * Publishes and waits for the broker's word, over as many channels as it takes.
   *
   * @param isWanted asked before each try; where it says no, the message is given up
   * @throws UnconfirmedError where nobody wants it any more, or the publisher is closed
   */
  async publish(message: OutgoingMessage, isWanted: () => boolean): Promise<PublishOutcome> {
    for (let losses = 0; losses < MAX_LOSSES; losses += 1) {
      if (!this.#channel) await this.#nextChannel();
      if (this.#closed || !isWanted()) break;
      // A channel can be lost again between the wake-up and this turn.
      if (!this.#channel) continue;
      const outcome = await this.#send(this.#channel, message);
      if (outcome !== 'lost') return outcome;
    }
    throw new UnconfirmedError('The broker has not confirmed the message.');
  }

  #send(channel: ConfirmChannel, message: OutgoingMessage): Promise<PublishOutcome | 'lost'> {
    const { exchange, routingKey, content, properties, mandatory } = message;
    let publishId = '';
    if (mandatory) {
      publishId = String((this.#publishes += 1));
      properties.headers[PUBLISH_ID] = publishId;
    }
    return new Promise((resolve, reject) => {
      try {
        channel.publish(
          exchange,
          routingKey,
          content,
          { ...properties, persistent: true, mandatory },
          (error: Error | null) => {
            const wasReturned = mandatory && this.#returned.delete(publishId);
            if (!error) resolve(wasReturned ? 'returned' : 'confirmed');
            else resolve(error.message === NACKED ? 'refused' : 'lost');
          },
        );
      } catch (thrown) {
        const error = thrown as Error;
        // Closed between two turns; anything else is a message that cannot be written at all.
        if (this.#channel !== channel || error.name === 'IllegalOperationError') resolve('lost');
        else reject(error);
      }
    });
  }

  #nextChannel(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
}
