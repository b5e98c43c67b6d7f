import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';

import { abandon, closeWithin } from '../connection/close-within.ts';
import { within } from '../connection/within.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { Delivery } from './delivery.ts';

const CLOSE_TIMEOUT_MS = 2_000;
const CONSUME_TIMEOUT_MS = 3_000;
/** What is in hand at most, in prefetches: commands whose channel was lost go on beside those of the next ones. */
const MAX_PREFETCHES_IN_HAND = 3;
const ROOM_PAUSE_MS = 200;
/** How often a consumer on trial looks whether it may take more. */
const TRIAL_LOOK_MS = 100;
const CANCELLED = 'the broker cancelled the consumer; its queue was deleted or moved';

export type ConsumerState =
  | 'waiting for the broker'
  | 'consuming'
  /** On purpose, for a while: what would be taken could not be done. */
  | 'paused'
  | 'draining'
  | 'stopped';

export interface QueueConsumerOptions {
  readonly queue: string;
  /** The most commands in hand. */
  readonly prefetch: number;
  /** Whether, as far as is known, what is taken can be done; default yes. After a pause, one is taken at a time until then. */
  readonly isServed?: () => boolean;
  /** Settles the delivery in the end; never rejects. */
  readonly handle: (delivery: Delivery) => Promise<void>;
  /** The broker cancelled the consumer or closed its channel while the connection stands. */
  readonly onLost: (reason: string) => void;
}

/** One channel, and what was delivered on it: only there can it be acknowledged. */
interface Serving {
  readonly channel: Channel;
  readonly acknowledgements: Acknowledgements;
  /** By delivery tag. */
  readonly inHand: Map<number, Delivery>;
  /** Two after a trial: the consumer on trial, and the one for the rest of the prefetch. */
  readonly consumerTags: string[];
}

/** Takes the messages of one queue, a bounded number at a time, on a channel of its own. */
export class QueueConsumer {
  readonly #options: QueueConsumerOptions;
  #serving: Serving | undefined;
  #state: ConsumerState = 'waiting for the broker';
  #inHand = 0;
  #deliveries = 0;
  #pause: NodeJS.Timeout | undefined;
  #onEmpty: (() => void) | undefined;

  constructor(options: QueueConsumerOptions) {
    this.#options = options;
  }

  get queue(): string {
    return this.#options.queue;
  }

  get state(): ConsumerState {
    return this.#state;
  }

  get inHand(): number {
    return this.#inHand;
  }

  /** Messages that it was given so far. */
  get deliveries(): number {
    return this.#deliveries;
  }

  get #hasRoom(): boolean {
    return this.#inHand <= (MAX_PREFETCHES_IN_HAND - 1) * this.#options.prefetch;
  }

  get #isLeaving(): boolean {
    return this.#state === 'draining' || this.#state === 'stopped';
  }

  /**
   * Begins to consume over a fresh connection; the one before is gone.
   *
   * @param timeoutMs for each answer of the broker, default 3 s
   * @throws Error if the queue is missing, or has no leader that lets it consume in time
   */
  async attach(connection: ChannelModel, timeoutMs = CONSUME_TIMEOUT_MS): Promise<void> {
    if (this.#isLeaving) return;
    const channel = await within(timeoutMs, 'a channel', connection.createChannel());
    let reason = 'the channel was closed';
    channel.on('error', (error) => (reason = error.message));
    const serving: Serving = {
      channel,
      acknowledgements: new Acknowledgements(channel),
      inHand: new Map(),
      consumerTags: [],
    };
    channel.on('close', () => {
      for (const delivery of serving.inHand.values()) delivery.lose();
      this.#leave(serving, reason);
    });
    if (this.#isLeaving) return;
    this.#serving = serving;
    // A pause that ends consumes on it.
    try {
      if (this.#state !== 'paused') await this.#consume(serving, this.#options.prefetch, timeoutMs);
    } catch (error) {
      if (this.#serving === serving) this.#serving = undefined;
      abandon(channel);
      throw error;
    }
  }

  /** Leaves the queue alone for a while; what is in hand goes on. */
  async pause(durationMs: number): Promise<void> {
    const serving = this.#serving;
    if (this.#state !== 'consuming' || !serving) return;
    this.#rest(durationMs);
    await this.#cancel(serving);
  }

  /** Gives its channel up, so that it is made again; what it has in hand is finished on the old one. */
  renew(reason: string): void {
    if (this.#serving) this.#leave(this.#serving, reason);
  }

  /** Takes nothing more, waits for what is in hand at most `graceMs`, and returns the rest to the queue. */
  async drain(graceMs: number): Promise<void> {
    const serving = this.#serving;
    this.#state = 'draining';
    clearTimeout(this.#pause);
    if (serving) await this.#cancel(serving);
    if (this.#inHand > 0) {
      const emptied = new Promise<void>((resolve) => (this.#onEmpty = resolve));
      await within(graceMs, 'what is in flight', emptied).catch(() => undefined);
    }
    this.#state = 'stopped';
    if (serving) await this.#close(serving);
  }

  #rest(durationMs: number): void {
    this.#state = 'paused';
    this.#pause = setTimeout(() => void this.#resume(), durationMs);
  }

  async #consume(serving: Serving, prefetch: number, timeoutMs = CONSUME_TIMEOUT_MS): Promise<void> {
    if (!this.#hasRoom) {
      this.#rest(ROOM_PAUSE_MS);
      return;
    }
    const { channel, consumerTags } = serving;
    await within(timeoutMs, 'the prefetch', channel.prefetch(prefetch));
    if (this.#isLeaving) return;
    const consuming = channel.consume(this.#options.queue, (message) => {
      if (message) this.#take(serving, message);
      else this.#leave(serving, CANCELLED);
    });
    const { consumerTag } = await within(timeoutMs, 'the consumer', consuming);
    consumerTags.push(consumerTag);
    // The broker says yes before it asks a quorum queue, and its process hangs there while that has no leader.
    await within(timeoutMs, 'the consumer', channel.prefetch(prefetch));
    // A trial goes on while the rest begins, and may end in a pause meanwhile.
    if (this.#isLeaving || this.#state === 'paused') await this.#cancel(serving);
    else this.#state = 'consuming';
  }

  async #cancel({ channel, consumerTags }: Serving): Promise<void> {
    const cancelled = consumerTags.splice(0).map((consumerTag) => channel.cancel(consumerTag));
    await within(CLOSE_TIMEOUT_MS, 'the cancellation', Promise.all(cancelled)).catch(() => undefined);
  }

  async #resume(): Promise<void> {
    if (this.#state !== 'paused') return;
    this.#state = 'waiting for the broker';
    const serving = this.#serving;
    // Without a channel it begins again when the connection is back.
    if (!serving) return;
    try {
      await this.#consume(serving, 1);
      this.#tryOut(serving);
    } catch (error) {
      this.#leave(serving, String(error));
    }
  }

  /** Takes the rest of the prefetch once something was taken and can be done; what cannot would all be put off. */
  #tryOut(serving: Serving): void {
    const { prefetch, isServed = () => true } = this.#options;
    const before = this.#deliveries;
    const look = setInterval(() => {
      const isOnTrial = this.#serving === serving && this.#state === 'consuming';
      const isPassed = this.#deliveries > before && isServed();
      if (isOnTrial && !isPassed) return;
      clearInterval(look);
      if (isOnTrial && prefetch > 1) {
        this.#consume(serving, prefetch - 1).catch((error: unknown) => this.#leave(serving, String(error)));
      }
    }, TRIAL_LOOK_MS).unref();
  }

  #take(serving: Serving, message: ConsumeMessage): void {
    const delivery = new Delivery(message, this.#options.queue, serving.acknowledgements);
    // Sent before the broker heard of the cancellation: another worker may have it at once.
    if (this.#isLeaving) {
      delivery.giveBack();
      return;
    }
    this.#deliveries += 1;
    this.#inHand += 1;
    serving.inHand.set(message.fields.deliveryTag, delivery);
    void this.#options.handle(delivery).then(() => this.#settled(serving, message.fields.deliveryTag));
  }

  #settled(serving: Serving, deliveryTag: number): void {
    this.#inHand -= 1;
    serving.inHand.delete(deliveryTag);
    if (this.#serving !== serving) this.#closeWhenDone(serving);
    if (this.#inHand === 0) this.#onEmpty?.();
  }

  /**
   * Goes on without a channel. The broker may have cancelled its consumer because the queue was deleted, and the
   * commands in hand with it: nobody else will answer those.
   */
  #leave(serving: Serving, reason: string): void {
    if (this.#serving !== serving) return;
    this.#serving = undefined;
    this.#closeWhenDone(serving);
    if (this.#isLeaving) return;
    if (this.#state !== 'paused') this.#state = 'waiting for the broker';
    this.#options.onLost(reason);
  }

  #closeWhenDone({ inHand, acknowledgements, channel }: Serving): void {
    if (inHand.size > 0 || this.#isLeaving) return;
    acknowledgements.flush();
    abandon(channel);
  }

  /** Returns what was not acknowledged, and makes sure that the last acknowledgements were sent. */
  async #close({ acknowledgements, channel }: Serving): Promise<void> {
    acknowledgements.flush();
    await closeWithin(CLOSE_TIMEOUT_MS, channel);
  }
}
