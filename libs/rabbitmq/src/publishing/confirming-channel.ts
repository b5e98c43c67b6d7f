import type { ConfirmChannel } from 'amqplib';

import { basicPublish } from '../amqplib/basic-publish.ts';
import { tryToClose } from '../channel/channel.ts';
import { InFlight, type Place } from '../collections/in-flight.ts';
import type { OutgoingMessage, PublishOutcome } from '../outgoing-message.ts';

/** A message being published, over as many channels as necessary. */
export interface PendingPublish {
  readonly message: OutgoingMessage;
  /** Called before each attempt. If it returns false, the message is given up. */
  readonly isWanted: () => boolean;
  readonly resolve: (outcome: PublishOutcome) => void;
  readonly reject: (reason: unknown) => void;
  /** The number of attempts so far. */
  tries: number;
  /** The tick of its channel at the last attempt. */
  sentAt: number;
  /** True if the broker may have closed a channel because of it. It is then published alone. */
  isInDoubt: boolean;
  /** True once it is settled, although a channel may still answer it. */
  isDone: boolean;
}

/**
 * Called with the answer to a message, or with the reason why its channel closed. The error has no code if
 * the connection was lost.
 */
export type OnAnswer = (publish: PendingPublish, answer: PublishOutcome | Error) => void;

/** Ticks to wait for an answer (2 s): longer than an election, and than a busy broker needs. */
const ANSWER_TICKS = 8;
/**
 * Ticks to wait for the first answer of a shared channel (1 s), whose process may hang from its first publish
 * on.
 */
const FIRST_ANSWER_TICKS = 4;
/**
 * A retired channel with unanswered messages is closed after this time, as a connection without any confirm
 * is.
 */
const LATE_MS = 5_000;
/** Matches a returned message to its publish. Message ids are not unique: they repeat over redeliveries. */
const PUBLISH_ID = 'x-publish-id';
const NACKED = 'message nacked';

/** A channel in confirm mode with its unanswered messages, oldest first. */
export class ConfirmingChannel {
  readonly #channel: ConfirmChannel;
  readonly #onAnswer: OnAnswer;
  readonly #pending = new InFlight<PendingPublish>();
  readonly #returned = new Set<string>();
  #reason = new Error('the connection was lost');
  #publishes = 0;
  #ticks = 0;
  /** The number of ticks to wait for an answer. */
  #patience: number;
  /** Messages without an answer, including those given up. */
  #owed = 0;
  #isRetired = false;

  constructor(channel: ConfirmChannel, isShared: boolean, onAnswer: OnAnswer) {
    this.#channel = channel;
    this.#patience = isShared ? FIRST_ANSWER_TICKS : ANSWER_TICKS;
    this.#onAnswer = onAnswer;
    channel.on('return', ({ properties }) => this.#returned.add(String(properties.headers?.[PUBLISH_ID])));
    channel.on('error', (error: Error) => (this.#reason = error));
    channel.on('close', () => this.#giveUp(Infinity, this.#reason));
  }

  /** Why the channel closed, if it did. */
  get reason(): Error {
    return this.#reason;
  }

  /** True if an answer is still awaited. */
  get isAwaited(): boolean {
    return this.#pending.size > 0;
  }

  send(publish: PendingPublish): void {
    const { message } = publish;
    let publishId = '';
    if (message.mandatory) {
      publishId = String((this.#publishes += 1));
      message.properties.headers[PUBLISH_ID] = publishId;
    }
    publish.tries += 1;
    publish.sentAt = this.#ticks;
    const place = this.#pending.add(publish);
    this.#owed += 1;
    try {
      basicPublish(this.#channel, message, (error) => {
        // The `close` event reports a closed channel.
        if (error && error.message !== NACKED) return;
        const wasReturned = message.mandatory && this.#returned.delete(publishId);
        this.#answered(place, error ? 'refused' : wasReturned ? 'returned' : 'confirmed');
      });
    } catch (thrown) {
      this.#pending.leave(place);
      this.#owed -= 1;
      // Either the channel closed in this turn, or the message cannot be encoded.
      if ((thrown as Error).name === 'IllegalOperationError') this.#onAnswer(publish, this.#reason);
      else publish.reject(thrown);
    }
  }

  /** Reports overdue messages as unanswered. A late confirm still counts. @returns true if there were any */
  tick(): boolean {
    this.#ticks += 1;
    return this.#giveUp(this.#ticks - this.#patience, 'unanswered');
  }

  /**
   * Closes when all messages are answered, or after five seconds, because a closing channel confirms nothing.
   * If its process hangs in the broker, it closes when the process resumes. Returns at once.
   */
  retire(): void {
    this.#isRetired = true;
    this.#closeIfDone();
    if (this.#owed > 0) setTimeout(() => void tryToClose(this.#channel), LATE_MS).unref();
  }

  #answered(place: Place<PendingPublish>, answer: PublishOutcome): void {
    const { item: publish } = place;
    this.#patience = ANSWER_TICKS;
    this.#owed -= 1;
    if (this.#pending.leave(place)) this.#onAnswer(publish, answer);
    else if (answer === 'confirmed') {
      publish.isDone = true;
      publish.resolve('confirmed');
    }
    this.#closeIfDone();
  }

  /** Reports one answer for all messages sent before a tick. @returns true if there were any */
  #giveUp(sentBefore: number, answer: PublishOutcome | Error): boolean {
    const late: PendingPublish[] = [];
    for (const place of this.#pending) {
      if (place.item.sentAt >= sentBefore) break;
      this.#pending.leave(place);
      late.push(place.item);
    }
    for (const publish of late) this.#onAnswer(publish, answer);
    return late.length > 0;
  }

  #closeIfDone(): void {
    if (this.#isRetired && this.#owed === 0) void tryToClose(this.#channel);
  }
}
