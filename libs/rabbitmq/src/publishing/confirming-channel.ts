import type { ConfirmChannel } from 'amqplib';

import { basicPublish } from '../amqplib/basic-publish.ts';
import { tryToClose } from '../channel/channel.ts';
import { InFlight, type Place } from '../collections/in-flight.ts';
import type { OutgoingMessage, PublishOutcome } from '../outgoing-message.ts';

/** One message on its way, over as many channels as it takes. */
export interface PendingPublish {
  readonly message: OutgoingMessage;
  /** Asked before each try. */
  readonly isWanted: () => boolean;
  readonly resolve: (outcome: PublishOutcome) => void;
  readonly reject: (reason: unknown) => void;
  /** How often it was published. */
  tries: number;
  /** When it was last published, in the ticks of that channel. */
  sentAt: number;
  /** Whether the broker may have closed a channel for it, so that it is published alone. */
  isInDoubt: boolean;
  /** Settled, though a channel may still answer it. */
  isDone: boolean;
}

/** Called with the answer to a message, or with why its channel has closed: an error has no code if the connection was lost. */
export type OnAnswer = (publish: PendingPublish, answer: PublishOutcome | Error) => void;

/** In ticks, 2 s: longer than an election and than a busy broker takes. */
const ANSWER_TICKS = 8;
/** 1 s, of a shared channel that has not answered anything yet: its process hangs from its first publish on. */
const FIRST_ANSWER_TICKS = 4;
/** As long as a connection without a confirm is kept. */
const LATE_MS = 5_000;
/** Matches a return to its publish: message ids repeat over redeliveries, for example. */
const PUBLISH_ID = 'x-publish-id';
const NACKED = 'message nacked';

/** A channel in confirm mode, and what the broker has not answered on it, oldest first. */
export class ConfirmingChannel {
  readonly #channel: ConfirmChannel;
  readonly #onAnswer: OnAnswer;
  readonly #pending = new InFlight<PendingPublish>();
  readonly #returned = new Set<string>();
  #reason = new Error('the connection was lost');
  #publishes = 0;
  #ticks = 0;
  /** For how many ticks an answer is waited for. */
  #patience: number;
  /** Messages without an answer, also those that were given up. */
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

  /** Why it has closed, if it has. */
  get reason(): Error {
    return this.#reason;
  }

  /** Whether it owes an answer that is still waited for. */
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
        // A channel that closes says so by its own event.
        if (error && error.message !== NACKED) return;
        const wasReturned = message.mandatory && this.#returned.delete(publishId);
        this.#answered(place, error ? 'refused' : wasReturned ? 'returned' : 'confirmed');
      });
    } catch (thrown) {
      this.#pending.leave(place);
      this.#owed -= 1;
      // Closed in this very turn; anything else is a message that cannot be written at all.
      if ((thrown as Error).name === 'IllegalOperationError') this.#onAnswer(publish, this.#reason);
      else publish.reject(thrown);
    }
  }

  /** Gives up as unanswered what was sent too long ago, and says if there was any; a confirm that comes later still counts. */
  tick(): boolean {
    this.#ticks += 1;
    return this.#giveUp(this.#ticks - this.#patience, 'unanswered');
  }

  /**
   * Closes once all is answered, or after five seconds: a channel that closes confirms nothing any more. If its process hangs
   * in the broker, it closes when that resumes; nobody waits for it.
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

  /** Reports one answer for all that was sent before a tick, and says if there was any. */
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
