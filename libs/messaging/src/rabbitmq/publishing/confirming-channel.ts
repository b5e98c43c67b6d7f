import type { ConfirmChannel } from 'amqplib';

import { abandon } from '../connection/close-within.ts';
import type { OutgoingMessage, Publish } from './outgoing-message.ts';

/** What the broker answered to one message. */
export type PublishOutcome =
  | 'confirmed'
  /** A mandatory message that no queue took. */
  | 'returned'
  /** A queue that is full and rejects, or that cannot be reached; two channels were told so. */
  | 'refused'
  /** Neither confirmed nor refused, by two channels. */
  | 'unanswered';

/** What became of one try; a channel that closes loses what it has not answered. */
export type Answer = Exclude<PublishOutcome, 'unanswered'> | 'lost';

/** One message on its way, over as many channels as it takes. */
export interface PendingPublish {
  readonly message: OutgoingMessage;
  /** Asked before each try. */
  readonly isWanted: () => boolean;
  readonly resolve: (outcome: PublishOutcome) => void;
  readonly reject: (reason: unknown) => void;
  /** Channels that closed before the broker had answered. */
  losses: number;
  /** Confirmed by a channel that it had been taken away from. */
  isConfirmedLate?: boolean;
}

/** Matches a return to its publish: message ids repeat over redeliveries, for example. */
const PUBLISH_ID = 'x-publish-id';
const NACKED = 'message nacked';

/** A channel in confirm mode, and what the broker has not answered on it, oldest first. */
export class ConfirmingChannel {
  /** Closed by a message that is too large for the broker: the connection is well. */
  isClosedForSize = false;
  readonly #channel: ConfirmChannel;
  readonly #publish: Publish;
  readonly #onAnswer: (publish: PendingPublish, answer: Answer) => void;
  /** With the time of each, in the owner's ticks. */
  readonly #pending = new Map<PendingPublish, number>();
  readonly #returned = new Set<string>();
  #publishes = 0;
  #hasAnswered = false;
  #isRetired = false;

  /** @param onAnswer called once for each message, unless it was taken away before */
  constructor(
    channel: ConfirmChannel,
    publish: Publish,
    onAnswer: (publish: PendingPublish, answer: Answer) => void,
  ) {
    this.#channel = channel;
    this.#publish = publish;
    this.#onAnswer = onAnswer;
    channel.on('return', ({ properties }) => this.#returned.add(String(properties.headers?.[PUBLISH_ID])));
  }

  /** How many messages it owes an answer. */
  get size(): number {
    return this.#pending.size;
  }

  /** Whether the broker has answered anything on it: a process that hangs does so from its first publish on. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** @param tick the time now, which `takeSentBefore` compares with */
  send(publish: PendingPublish, tick: number): void {
    const { message } = publish;
    let publishId = '';
    if (message.mandatory) {
      publishId = String((this.#publishes += 1));
      message.properties.headers[PUBLISH_ID] = publishId;
    }
    this.#pending.set(publish, tick);
    try {
      this.#publish(this.#channel, message, (error) => {
        const wasReturned = message.mandatory && this.#returned.delete(publishId);
        this.#answered(publish, error ? answerOf(error) : wasReturned ? 'returned' : 'confirmed');
      });
    } catch (thrown) {
      // Closed in this very turn; anything else is a message that cannot be written at all.
      if ((thrown as Error).name === 'IllegalOperationError') this.#answered(publish, 'lost');
      else {
        this.#pending.delete(publish);
        publish.reject(thrown);
      }
    }
  }

  /** Takes away what has waited for its answer since before `tick`; a confirm that comes after all still counts. */
  takeSentBefore(tick: number): PendingPublish[] {
    const taken: PendingPublish[] = [];
    for (const [publish, sentAt] of this.#pending) {
      if (sentAt >= tick) break;
      taken.push(publish);
      this.#pending.delete(publish);
    }
    this.#closeIfDone();
    return taken;
  }

  /** Closes once all is answered. One whose process hangs in the broker closes when that goes on, and nobody waits. */
  retire(): void {
    this.#isRetired = true;
    this.#closeIfDone();
  }

  #answered(publish: PendingPublish, answer: Answer): void {
    if (answer !== 'lost') this.#hasAnswered = true;
    const isAwaited = this.#pending.delete(publish);
    if (isAwaited) this.#onAnswer(publish, answer);
    else if (answer === 'confirmed') {
      publish.isConfirmedLate = true;
      publish.resolve('confirmed');
    }
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if (!this.#isRetired || this.#pending.size > 0) return;
    this.#isRetired = false;
    abandon(this.#channel);
  }
}

function answerOf({ message }: Error): Answer {
  return message === NACKED ? 'refused' : 'lost';
}
