import type { ConfirmChannel } from 'amqplib';

import { basicPublish } from './basic-publish.ts';
import {
  type Answer,
  ConfirmingChannel,
  type PendingPublish,
  type PublishOutcome,
} from './confirming-channel.ts';
import { maxBytesIn, MessageTooLargeError } from './message-too-large.ts';
import type { OutgoingMessage, Publish } from './outgoing-message.ts';
import { SecondOpinions } from './second-opinions.ts';

/** The broker has not confirmed the message, which may have reached its queue all the same; it is not tried again. */
export class UnconfirmedError extends Error {
  override readonly name = 'UnconfirmedError';
}

/** The connection that a publisher opens its channels on. */
export interface PublishingConnection {
  openChannel(): Promise<ConfirmChannel>;
  /** Whether the broker holds publishers back, and has said so. */
  readonly isBlocked: boolean;
  /** Drops the connection, so that another one follows. */
  giveUp(reason: string): void;
}

/** A message that closes its channel each time is given up after so many. */
const MAX_LOSSES = 20;
const TICK_MS = 250;
/** 2 s: longer than an election and than a busy broker takes. */
const ANSWER_TICKS = 8;
/** 1 s, of a channel that has not answered anything yet: it may hang on a queue without a leader. */
const FIRST_ANSWER_TICKS = 4;
/** 5 s without any confirm: the node may be cut off from the others. */
const SILENCE_TICKS = 20;
/** 0.5 s, so that a reply that is tried again for a second is asked about more than once. */
const QUEUE_VERDICT_TICKS = 2;
/** 5 s: each time that an exchange is asked about, the queues that took the message get it twice. */
const EXCHANGE_VERDICT_TICKS = 20;
const UNANSWERED_VERDICT_TICKS = 20;

const UNCONFIRMED = 'the broker confirms nothing of what is published';
const CLOSED = 'the publishing channel was closed';

/**
 * Publishes persistently and waits for the broker's confirm, over as many channels and connections as that takes. A
 * refusal, or one to two seconds without an answer, is believed only once a second channel has met it too.
 */
export class ConfirmedPublisher {
  readonly #publish: Publish;
  readonly #opinions = new SecondOpinions({
    openChannel: () => this.#openChannel(),
    now: () => this.#ticks,
    answerTicks: ANSWER_TICKS,
    verdictTicks: {
      queue: QUEUE_VERDICT_TICKS,
      exchange: EXCHANGE_VERDICT_TICKS,
      unanswered: UNANSWERED_VERDICT_TICKS,
    },
    onProven: (channel) => this.#use(channel),
    onLost: (publish) => this.#lose(publish),
  });
  #connection: PublishingConnection | undefined;
  /** The channel in use. */
  #channel: ConfirmingChannel | undefined;
  /** Those that were in use before, and owe an answer. */
  readonly #former = new Set<ConfirmingChannel>();
  #waiting: PendingPublish[] = [];
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  /** Grows while the broker could answer: neither under an alarm nor while this process is busy. */
  #ticks = 0;
  /** Ticks since the last confirm in which the broker owed an answer, or refused. */
  #vainTicks = 0;
  #hasRefused = false;
  /** The largest message that the broker takes, once it has refused a larger one. */
  #maxBytes = Number.POSITIVE_INFINITY;

  /** @param publish how one message is published */
  constructor(publish: Publish = basicPublish) {
    this.#publish = publish;
  }

  /** Takes a fresh connection into use. */
  async attach(connection: PublishingConnection): Promise<void> {
    this.#connection = connection;
    this.#channel = undefined;
    this.#former.clear();
    this.#opinions.clear();
    this.#vainTicks = 0;
    this.#maxBytes = Number.POSITIVE_INFINITY;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
    this.#use(await this.#openChannel());
  }

  /** Rejects what waits for a channel. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#wake();
  }

  /**
   * Publishes and waits for the broker's answer.
   *
   * @param isWanted asked before each try; if it says no, the message is given up
   * @throws UnconfirmedError if nobody wants it any more, or the publisher is closed
   * @throws MessageTooLargeError if it is larger than what the broker takes
   */
  publish(message: OutgoingMessage, isWanted: () => boolean): Promise<PublishOutcome> {
    return new Promise((resolve, reject) => this.#try({ message, isWanted, resolve, reject, losses: 0 }));
  }

  get #isOwed(): boolean {
    return (
      (this.#channel?.size ?? this.#waiting.length) > 0 || this.#former.size > 0 || this.#opinions.isAsking
    );
  }

  #try(publish: PendingPublish): void {
    const bytes = publish.message.content.length;
    if (bytes > this.#maxBytes) publish.reject(new MessageTooLargeError(bytes, this.#maxBytes));
    else if (!this.#channel && !this.#isClosed) this.#waiting.push(publish);
    else if (!this.#channel || this.#isClosed || publish.losses >= MAX_LOSSES || !publish.isWanted()) {
      publish.reject(new UnconfirmedError('The broker has not confirmed the message.'));
    } else if (!this.#opinions.takes(publish)) this.#channel.send(publish, this.#ticks);
  }

  async #openChannel(): Promise<ConfirmingChannel> {
    const connection = this.#connection;
    if (!connection) throw new Error('not connected');
    const raw = await connection.openChannel();
    const channel: ConfirmingChannel = new ConfirmingChannel(raw, this.#publish, (publish, answer) =>
      this.#answered(channel, publish, answer),
    );
    raw.on('error', (error: Error) => {
      const maxBytes = maxBytesIn(error);
      if (maxBytes === undefined) return;
      this.#maxBytes = maxBytes;
      channel.isClosedForSize = true;
    });
    raw.on('close', () => this.#lost(channel));
    return channel;
  }

  #use(channel: ConfirmingChannel): void {
    const former = this.#channel;
    this.#channel = channel;
    if (former) this.#retire(former);
    this.#wake();
  }

  #retire(channel: ConfirmingChannel): void {
    if (channel.size > 0) this.#former.add(channel);
    channel.retire();
  }

  #answered(channel: ConfirmingChannel, publish: PendingPublish, answer: Answer): void {
    if (answer === 'confirmed' || answer === 'returned') {
      this.#vainTicks = 0;
      publish.resolve(answer);
      this.#opinions.reached(publish.message, channel);
    } else if (answer === 'refused') {
      this.#hasRefused = true;
      this.#opinions.refused(publish, channel);
    } else {
      this.#lost(channel);
      this.#lose(publish);
    }
  }

  #lost(channel: ConfirmingChannel): void {
    this.#former.delete(channel);
    this.#opinions.closed(channel);
    if (this.#channel !== channel) return;
    this.#channel = undefined;
    if (channel.isClosedForSize) {
      void this.#reopen();
      return;
    }
    // A publish that cannot be routed closes its channel, most likely since an exchange has gone: a new connection
    // declares it again.
    this.#connection?.giveUp(CLOSED);
  }

  #lose(publish: PendingPublish): void {
    publish.losses += 1;
    this.#try(publish);
  }

  #tick(): void {
    if (this.#connection?.isBlocked) return;
    this.#ticks += 1;
    const overdue = this.#overdue();
    if (overdue.length > 0) void this.#replace();
    for (const publish of overdue)
      if (!publish.isWanted() || !this.#opinions.ask(publish, true)) this.#try(publish);
    this.#opinions.tick();
    // A node that is cut off from the others refuses all, too; of a queue that is full, the parked replies are confirmed.
    if (this.#isOwed || this.#hasRefused) this.#vainTicks += 1;
    this.#hasRefused = false;
    if (this.#vainTicks < SILENCE_TICKS) return;
    this.#vainTicks = 0;
    this.#connection?.giveUp(UNCONFIRMED);
  }

  #overdue(): PendingPublish[] {
    const overdue: PendingPublish[] = [];
    for (const channel of [...this.#former, ...(this.#channel ? [this.#channel] : [])]) {
      const answerTicks = channel.hasAnswered ? ANSWER_TICKS : FIRST_ANSWER_TICKS;
      overdue.push(...channel.takeSentBefore(this.#ticks - answerTicks));
      if (channel.size === 0) this.#former.delete(channel);
    }
    return overdue;
  }

  /** What the channel in use is stuck on holds up all that follows. */
  async #replace(): Promise<void> {
    const stuck = this.#channel;
    if (!stuck) return;
    this.#channel = undefined;
    this.#retire(stuck);
    await this.#reopen();
  }

  async #reopen(): Promise<void> {
    try {
      this.#use(await this.#openChannel());
    } catch {
      // The connection has gone; the next one brings a channel.
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const publish of waiting) this.#try(publish);
  }
}
