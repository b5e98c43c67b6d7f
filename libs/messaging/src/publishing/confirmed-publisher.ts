import type { ConfirmChannel } from 'amqplib';

import { basicPublish } from './basic-publish.ts';
import type { OutgoingMessage } from './outgoing-message.ts';

/** What the broker said of one message. */
export type PublishOutcome =
  | 'confirmed'
  /** A mandatory message that no queue took. */
  | 'returned'
  /** A queue that is full and rejects, or that could not store it. */
  | 'refused';

/** Nobody knows whether the broker has the message, and nobody waits for it any more. */
export class UnconfirmedError extends Error {
  override readonly name = 'UnconfirmedError';
}

/** Matches a return to its publish: message ids repeat over operators and redeliveries. */
const PUBLISH_ID = 'x-publish-id';
const NACKED = 'message nacked';
/** A message that closes the channel each time must not do so for ever. */
const MAX_LOSSES = 20;

interface PendingPublish {
  readonly message: OutgoingMessage;
  readonly isWanted: () => boolean;
  readonly resolve: (outcome: PublishOutcome) => void;
  readonly reject: (reason: unknown) => void;
  /** Channels that closed before the broker had said something. */
  losses: number;
}

/** Publishes persistently on one confirm channel at a time, again on the next one for as long as it is wanted. */
export class ConfirmedPublisher {
  readonly #returned = new Set<string>();
  #channel: ConfirmChannel | undefined;
  #waiting: PendingPublish[] = [];
  #closed = false;
  #publishes = 0;

  /** Takes a fresh channel into use, until it closes. */
  attach(channel: ConfirmChannel): void {
    channel.on('return', ({ properties }) => this.#returned.add(String(properties.headers?.[PUBLISH_ID])));
    channel.on('close', () => {
      if (this.#channel === channel) this.#channel = undefined;
    });
    // Who published on the channel before has heard that it closed.
    this.#returned.clear();
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
  publish(message: OutgoingMessage, isWanted: () => boolean): Promise<PublishOutcome> {
    return new Promise((resolve, reject) => this.#try({ message, isWanted, resolve, reject, losses: 0 }));
  }

  #try(publish: PendingPublish): void {
    const channel = this.#channel;
    if (!channel && !this.#closed) this.#waiting.push(publish);
    else if (channel && !this.#closed && publish.losses < MAX_LOSSES && publish.isWanted()) {
      this.#send(channel, publish);
    } else publish.reject(new UnconfirmedError('The broker has not confirmed the message.'));
  }

  #send(channel: ConfirmChannel, publish: PendingPublish): void {
    const { message } = publish;
    let publishId = '';
    if (message.mandatory) {
      publishId = String((this.#publishes += 1));
      message.properties.headers[PUBLISH_ID] = publishId;
    }
    try {
      basicPublish(channel, message, (error) => {
        const wasReturned = message.mandatory && this.#returned.delete(publishId);
        if (!error) publish.resolve(wasReturned ? 'returned' : 'confirmed');
        else if (error.message === NACKED) publish.resolve('refused');
        else this.#lost(channel, publish);
      });
    } catch (thrown) {
      // Closed in this very turn; anything else is a message that cannot be written at all.
      if ((thrown as Error).name === 'IllegalOperationError') this.#lost(channel, publish);
      else publish.reject(thrown);
    }
  }

  #lost(channel: ConfirmChannel, publish: PendingPublish): void {
    if (this.#channel === channel) this.#channel = undefined;
    publish.losses += 1;
    this.#try(publish);
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const publish of waiting) this.#try(publish);
  }
}
