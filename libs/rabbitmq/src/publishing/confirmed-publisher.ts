import type { ChannelModel } from 'amqplib';

import { destroySocket } from '../amqplib/destroy-socket.ts';
import { codeOf } from '../channel/refusal.ts';
import { ConfirmingChannel, type OnAnswer, type PendingPublish } from './confirming-channel.ts';
import { IsolatedPublisher } from './isolated-publisher.ts';
import {
  type OutgoingMessage,
  type PublishOutcome,
  type PublishRefusedError,
  UnconfirmedError,
} from '../outgoing-message.ts';

export interface PublisherOptions {
  /**
   * Called when the broker refuses a message for good. If it resolves true, the message is republished, for
   * example because its exchange was redeclared. Messages to the same exchange wait for the decision.
   * Default: the message fails.
   */
  readonly onRefused?: (refusal: PublishRefusedError) => Promise<boolean>;
  /** Called when a connection is dropped because the broker confirms nothing. */
  readonly onSilence?: () => void;
  /**
   * Published every two seconds, and before a connection is used. A node that is partitioned from the
   * majority of its cluster still serves its clients, but confirms no message to a quorum queue. Default:
   * partitions are not detected.
   */
  readonly probe?: OutgoingMessage;
}

/** The most attempts for a message that loses its channel each time. */
const MAX_TRIES = 20;
const TICK_MS = 250;
/** 5 s without any confirm: the node may be partitioned. */
const SILENCE_TICKS = 20;
/** 2 s between probes. */
const PROBE_TICKS = 8;
/** 8 s without a confirmed probe, even if queues that live on this node alone confirm. */
const UNPROVEN_TICKS = 32;
/** 3.5 s without a confirmed probe, for a connection that is not in use yet. */
const FIRST_UNPROVEN_TICKS = 14;
const SILENT =
  'the broker confirms nothing of what is published: its node may be cut off from the majority of the cluster';

/**
 * Publishes persistent messages and waits for the broker's confirms, over as many channels and connections as
 * necessary. A refusal, or one to two seconds without an answer, is final only if a second channel meets it
 * as well. If the broker closes a channel, its unanswered messages are republished one at a time, so that
 * only the message that caused the close fails.
 */
export class ConfirmedPublisher {
  readonly #onSilence: PublisherOptions['onSilence'];
  readonly #probe: OutgoingMessage | undefined;
  readonly #isolated: IsolatedPublisher;
  #model: ChannelModel | undefined;
  /** Why the broker closed the connection, which closes all channels. */
  #connectionError: Error | undefined;
  /** The channel shared by all messages whose destination is not in doubt. */
  #channel: ConfirmingChannel | undefined;
  readonly #channels = new Set<ConfirmingChannel>();
  /** Messages without a channel. */
  #waiting: PendingPublish[] = [];
  /** True if the broker is under an alarm and reads nothing. */
  #isBlocked = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  /** Ticks since the last confirm during which the broker owed an answer or refused. */
  #vainTicks = 0;
  #hasRefused = false;
  /** Ticks since the last confirmed probe. */
  #unprovenTicks = 0;
  #isProbing = false;
  /** True once the connection is in use. */
  #isProven = false;

  constructor({ onRefused, onSilence, probe }: PublisherOptions = {}) {
    this.#onSilence = onSilence;
    this.#probe = probe;
    this.#isolated = new IsolatedPublisher({
      openChannel: (onAnswer) => this.#openChannel(false, onAnswer),
      send: (publish) => this.#send(publish),
      onRefused,
    });
  }

  /**
   * Starts to use a new connection; call it from the `setUp` of a `BrokerConnection`. Waits until the broker
   * confirms a probe or reports an alarm.
   */
  async attach(model: ChannelModel): Promise<void> {
    this.#model = model;
    this.#isBlocked = false;
    this.#connectionError = undefined;
    const blocked = new Promise<void>((resolve) => model.once('blocked', () => resolve()));
    model.on('blocked', () => (this.#isBlocked = true));
    model.on('unblocked', () => (this.#isBlocked = false));
    model.on('error', (error: Error) => (this.#connectionError = error));
    this.#channels.clear();
    this.#vainTicks = 0;
    this.#unprovenTicks = 0;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
    this.#isolated.forget();
    this.#isProbing = this.#isProven = false;
    if (this.#probe) await Promise.race([this.#prove(model, this.#probe), blocked]);
    this.#isProven = true;
    await this.#share();
  }

  /** Rejects messages that wait for a channel. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#sendWaiting();
  }

  /**
   * Publishes and waits for the broker's answer.
   *
   * @param isWanted called before each attempt; if it returns false, the message is given up
   * @throws UnconfirmedError if the message is no longer wanted, or the publisher is closed
   * @throws PublishRefusedError if the broker refuses it for good
   */
  publish(message: OutgoingMessage, isWanted: () => boolean = () => true): Promise<PublishOutcome> {
    return new Promise((resolve, reject) => {
      this.#send({ ...pendingPublish(message), isWanted, resolve, reject });
    });
  }

  #send(publish: PendingPublish): void {
    if (publish.isDone) return;
    if (this.#isClosed || publish.tries >= MAX_TRIES || !publish.isWanted()) {
      publish.reject(new UnconfirmedError('The broker has not confirmed the message.'));
    } else if (!this.#channel) this.#waiting.push(publish);
    else if (!this.#isolated.takes(publish)) this.#channel.send(publish);
  }

  #sendWaiting(): void {
    for (const publish of this.#waiting.splice(0)) this.#send(publish);
  }

  async #openChannel(isShared: boolean, onAnswer: OnAnswer): Promise<ConfirmingChannel> {
    if (!this.#model || this.#isClosed) throw new Error('not connected');
    const raw = await this.#model.createConfirmChannel();
    // Registered first, so that it runs before the unanswered messages are republished.
    raw.on('close', () => this.#closed(channel));
    const channel = new ConfirmingChannel(raw, isShared, (publish, answer) => {
      if (answer === 'refused') this.#hasRefused = true;
      else if (answer === 'confirmed' || answer === 'returned') this.#vainTicks = 0;
      // If the broker closes the connection, its channels close without a code of their own.
      const isLost = answer instanceof Error && codeOf(answer) === undefined;
      onAnswer(publish, isLost ? (this.#connectionError ?? answer) : answer);
    });
    this.#channels.add(channel);
    return channel;
  }

  #closed(channel: ConfirmingChannel): void {
    this.#channels.delete(channel);
    if (this.#channel !== channel) return;
    this.#channel = undefined;
    // If the connection was lost, the next connection opens a channel.
    if (codeOf(channel.reason) !== undefined) this.#replace();
  }

  #replace(): void {
    this.#share().catch(() => undefined);
  }

  /**
   * Opens a new shared channel, because messages would queue behind a destination on which the old one hangs.
   */
  async #share(): Promise<void> {
    this.#channel?.retire();
    this.#channel = undefined;
    this.#channel = await this.#openChannel(true, (publish, answer) => {
      if (answer === 'refused' || answer === 'unanswered') return this.#isolated.ask(publish, answer);
      if (typeof answer === 'string') return publish.resolve(answer);
      publish.isInDoubt ||= codeOf(answer) !== undefined;
      this.#send(publish);
    });
    this.#sendWaiting();
  }

  /**
   * Publishes the probe until it is confirmed, each time on a new channel: a channel that first publishes
   * while the queue has no leader may hang even after the election.
   *
   * @throws Error if the connection is lost
   */
  async #prove(model: ChannelModel, message: OutgoingMessage): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    let answer: Awaited<ReturnType<IsolatedPublisher['publishAlone']>>;
    do {
      answer = await this.#isolated.publishAlone(pendingPublish(message));
    } while (this.#model === model && (answer === 'refused' || answer === 'unanswered'));
    if (this.#model === model) this.#isProbing = false;
    // A permanent refusal also proves that the node answers: the user may lack a permission.
    const isAnswered = typeof answer === 'string' || (answer && codeOf(answer) !== undefined);
    if (this.#model !== model || !isAnswered) throw new Error('the connection was lost');
    this.#unprovenTicks = 0;
  }

  /**
   * Runs every 250 ms, as a timer: a process that is blocked does not count ticks. Does nothing under an
   * alarm.
   */
  #tick(): void {
    if (this.#isBlocked) return;
    if (this.#probe && this.#model) {
      this.#unprovenTicks += 1;
      if (this.#isProven && this.#unprovenTicks % PROBE_TICKS === 0)
        this.#prove(this.#model, this.#probe).catch(() => undefined);
    }
    const channels = [...this.#channels];
    // A channel replaced earlier may have more late messages.
    for (const channel of channels) if (channel.tick() && channel === this.#channel) this.#replace();
    // A partitioned node also refuses everything. If only a queue is full, other messages are still
    // confirmed.
    const isWaiting = !this.#channel && this.#waiting.length > 0;
    const awaited = channels.filter(({ isAwaited }) => isAwaited).length;
    const isOwed = this.#isolated.isOwed || awaited > (this.#isProbing ? 1 : 0);
    if (isWaiting || isOwed || this.#hasRefused) this.#vainTicks += 1;
    this.#hasRefused = false;
    const longestTicks = this.#isProven ? UNPROVEN_TICKS : FIRST_UNPROVEN_TICKS;
    const isSilent = this.#vainTicks >= SILENCE_TICKS || this.#unprovenTicks >= longestTicks;
    if (!isSilent || !this.#model) return;
    this.#vainTicks = 0;
    this.#unprovenTicks = 0;
    this.#onSilence?.();
    destroySocket(this.#model, new Error(SILENT));
  }
}

function pendingPublish(message: OutgoingMessage): PendingPublish {
  const nothing = (): void => undefined;
  return {
    message,
    isWanted: () => true,
    resolve: nothing,
    reject: nothing,
    tries: 0,
    sentAt: 0,
    isInDoubt: false,
    isDone: false,
  };
}
