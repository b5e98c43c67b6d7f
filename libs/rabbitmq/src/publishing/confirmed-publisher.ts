import type { ChannelModel } from 'amqplib';

import type { BrokerConnection } from '../connection/broker-connection.ts';
import { basicPublish } from './basic-publish.ts';
import {
  type ChannelEvents,
  type Closure,
  ConfirmingChannel,
  type PendingPublish,
  type PublishOutcome,
} from './confirming-channel.ts';
import { Doubts } from './doubts.ts';
import type { OutgoingMessage, Publish } from './outgoing-message.ts';
import {
  maxBytesIn,
  MessageTooLargeError,
  type PublishRefusedError,
  UnconfirmedError,
} from './publish-errors.ts';
import { IsolatedPublisher } from './isolated-publisher.ts';

/** What a publisher asks of a `BrokerConnection`. */
export type PublishingConnection = Pick<BrokerConnection, 'state' | 'reset'>;

export interface PublisherOptions {
  /**
   * Called when the broker refuses a message for good. True has it published again, for example once its exchange is
   * declared again; what is published to the same exchange waits meanwhile. Default: it fails, alone.
   */
  readonly onRefused?: (refusal: PublishRefusedError) => Promise<boolean>;
  /** How one message is published. */
  readonly publish?: Publish;
}

/** A message that loses its channel each time is given up after so many. */
const MAX_LOSSES = 20;
const TICK_MS = 250;
/** 2 s: longer than an election and than a busy broker takes. */
const ANSWER_TICKS = 8;
/** 1 s, of a channel that has not answered anything yet: it may hang on a queue without a leader. */
const FIRST_ANSWER_TICKS = 4;
/** 5 s without any confirm: the node may be cut off from the others. */
const SILENCE_TICKS = 20;

/**
 * Publishes persistently and waits for the broker's confirm, over as many channels and connections as that takes. A
 * refusal by a queue, or one to two seconds without an answer, is believed only once a second channel has met it too. Of
 * the messages on a channel that the broker closes, each is published once more alone, so that one that the broker does not
 * take fails by itself.
 */
export class ConfirmedPublisher {
  readonly #how: Publish;
  readonly #doubts = new Doubts({
    openChannel: (onAnswer) => this.#openChannel(onAnswer),
    now: () => this.#ticks,
    answerTicks: ANSWER_TICKS,
    onLost: (publish) => this.#lost(publish),
  });
  readonly #isolated: IsolatedPublisher;
  #connection: PublishingConnection | undefined;
  #model: ChannelModel | undefined;
  /** The channel that all messages use whose destination is not in doubt. */
  #channel: ConfirmingChannel | undefined;
  /** With those that were in use before it. */
  readonly #channels = new Set<ConfirmingChannel>();
  /** Messages without a channel. */
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

  constructor(options: PublisherOptions = {}) {
    this.#how = options.publish ?? basicPublish;
    this.#isolated = new IsolatedPublisher({
      how: this.#how,
      doubts: this.#doubts,
      send: (publish) => this.#send(publish),
      onRefused: options.onRefused,
    });
  }

  /** Takes a fresh connection into use: the set-up of a `BrokerConnection`. */
  async attach(model: ChannelModel, connection: PublishingConnection): Promise<void> {
    this.#model = model;
    this.#connection = connection;
    this.#isolated.attach(model);
    this.#channel = undefined;
    this.#channels.clear();
    this.#doubts.clear();
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
    for (const publish of [...this.#waiting.splice(0), ...this.#isolated.clear()]) this.#send(publish);
  }

  /**
   * Publishes and waits for the broker's answer.
   *
   * @param isWanted asked before each try; if it says no, the message is given up
   * @param timeoutMs after which it is given up in any case; default: never
   * @throws UnconfirmedError if nobody wants it any more, or the publisher is closed
   * @throws PublishRefusedError if the broker refuses it for good; `MessageTooLargeError` for its size
   */
  publish(
    message: OutgoingMessage,
    isWanted: () => boolean = () => true,
    timeoutMs?: number,
  ): Promise<PublishOutcome> {
    return new Promise((resolve, reject) => {
      const publish: PendingPublish = { message, isWanted, resolve, reject, losses: 0, isDone: false };
      if (timeoutMs !== undefined) this.#limit(publish, timeoutMs);
      this.#send(publish);
    });
  }

  #limit(publish: PendingPublish, timeoutMs: number): void {
    const late = (): void => {
      publish.isDone = true;
      publish.reject(new UnconfirmedError(`The broker has not confirmed the message in ${timeoutMs} ms.`));
    };
    setTimeout(late, timeoutMs).unref();
  }

  #send(publish: PendingPublish): void {
    const { exchange, content } = publish.message;
    if (publish.isDone) return;
    if (content.length > this.#maxBytes) {
      publish.reject(new MessageTooLargeError(exchange, content.length, this.#maxBytes));
    } else if (this.#isClosed || publish.losses >= MAX_LOSSES || !publish.isWanted()) {
      publish.reject(new UnconfirmedError('The broker has not confirmed the message.'));
    } else if (!this.#channel) this.#waiting.push(publish);
    else if (!this.#isolated.takes(publish) && !this.#doubts.takes(publish))
      this.#channel.send(publish, this.#ticks);
  }

  async #openChannel(onAnswer?: ChannelEvents['onAnswer']): Promise<ConfirmingChannel> {
    if (!this.#model) throw new Error('not connected');
    const raw = await this.#model.createConfirmChannel();
    const channel: ConfirmingChannel = new ConfirmingChannel(raw, this.#how, {
      onAnswer: (publish, answer) => {
        if (answer === 'refused') this.#hasRefused = true;
        else this.#vainTicks = 0;
        if (onAnswer) onAnswer(publish, answer);
        else if (answer === 'refused') this.#doubts.ask(publish, 'refused');
        else publish.resolve(answer);
      },
      onClosed: (unanswered, closure) => this.#closed(channel, unanswered, closure),
    });
    return channel;
  }

  #use(channel: ConfirmingChannel): void {
    this.#channel?.retire();
    this.#channel = channel;
    this.#channels.add(channel);
    for (const publish of this.#waiting.splice(0)) this.#send(publish);
    void this.#isolated.examine();
  }

  #closed(channel: ConfirmingChannel, unanswered: readonly PendingPublish[], closure: Closure): void {
    this.#channels.delete(channel);
    // If it went with its connection, the next one brings a channel.
    if (this.#channel === channel && closure.code !== undefined) void this.#replace();
    else if (this.#channel === channel) this.#channel = undefined;
    const cause = this.#isolated.causeOf(closure);
    const maxBytes = maxBytesIn(cause.reason);
    if (maxBytes !== undefined) this.#maxBytes = maxBytes;
    const others = maxBytes === undefined ? this.#isolated.add(unanswered, cause) : unanswered;
    for (const publish of others) this.#lost(publish);
    void this.#isolated.examine();
  }

  #lost(publish: PendingPublish): void {
    publish.losses += 1;
    this.#send(publish);
  }

  #tick(): void {
    if (this.#connection?.state.kind === 'blocked') return;
    this.#ticks += 1;
    const overdue = this.#overdue();
    if (overdue.length > 0) void this.#replace();
    for (const publish of overdue) {
      if (publish.isWanted()) this.#doubts.ask(publish, 'unanswered');
      else this.#send(publish);
    }
    this.#doubts.tick();
    void this.#isolated.examine();
    // A node that is cut off from the others refuses all, too; of a queue that is full, the parked replies are confirmed.
    if (this.#isOwed || this.#hasRefused) this.#vainTicks += 1;
    this.#hasRefused = false;
    if (this.#vainTicks < SILENCE_TICKS) return;
    this.#vainTicks = 0;
    if (this.#model) this.#connection?.reset(this.#model, 'the broker confirms nothing of what is published');
  }

  get #isOwed(): boolean {
    const isWaiting = !this.#channel && this.#waiting.length > 0;
    return isWaiting || this.#doubts.isOwed || [...this.#channels].some(({ size }) => size > 0);
  }

  #overdue(): PendingPublish[] {
    return [...this.#channels].flatMap((channel) =>
      channel.takeSentBefore(this.#ticks - (channel.hasAnswered ? ANSWER_TICKS : FIRST_ANSWER_TICKS)),
    );
  }

  /** What the channel in use hangs on holds up all that follows. */
  async #replace(): Promise<void> {
    this.#channel?.retire();
    this.#channel = undefined;
    try {
      this.#use(await this.#openChannel());
    } catch {
      // The connection has gone; the next one brings a channel.
    }
  }
}
