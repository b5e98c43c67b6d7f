import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';

import { releaseOf } from '../connection/broker-release.ts';
import { abandon, closeWithin, countsOf, pause, within } from '../connection/questions.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { type DeliveringChannel, Delivery } from './delivery.ts';
import { limitBodies } from '../connection/bound-messages.ts';

const CLOSE_TIMEOUT_MS = 2_000;
const DEPTH_TIMEOUT_MS = 1_000;
/** Why a channel is lost on which nothing comes. */
export const DEAF = 'its queue holds messages, and none came';
const CANCELLED = 'the broker cancelled the consumer; its queue was deleted or moved';

export interface ConsumerChannelOptions {
  readonly queue: string;
  /** Only the beginning of a longer body is kept. */
  readonly maxBodyBytes: number;
  /** For each answer of the broker. */
  readonly timeoutMs: number;
  /** How many messages the broker is to have delivered at once. */
  readonly wanted: () => number;
  readonly onDelivery: (delivery: Delivery) => void;
}

/** One channel of a consumer, and what is in flight on it: only there can it be acknowledged. */
export class ConsumerChannel {
  /** Rejects when the broker closes the channel, or cancels a consumer on it, when it is deaf, or by `lose`. */
  readonly lost: Promise<never>;
  /** Ends the use of the channel. */
  lose: (reason: Error) => void = () => undefined;
  readonly #model: ChannelModel;
  readonly #channel: Channel;
  readonly #options: ConsumerChannelOptions;
  readonly #acknowledgements: Acknowledgements;
  readonly #delivering: DeliveringChannel;
  readonly #bodyBytes: () => number;
  /** By delivery tag. */
  readonly #inFlight = new Map<number, Delivery>();
  /** The broker delivers to these; two after a probe, the second one for the rest of the prefetch. */
  #consumerTags: string[] = [];
  /** The sum of their prefetches. */
  #granted = 0;
  #isAdjusting = false;
  #deliveries = 0;
  readonly #retired = new AbortController();

  constructor(model: ChannelModel, channel: Channel, options: ConsumerChannelOptions) {
    this.#model = model;
    this.#channel = channel;
    this.#options = options;
    const acknowledgements = new Acknowledgements(channel);
    this.#acknowledgements = acknowledgements;
    this.#delivering = { queue: options.queue, release: releaseOf(model), acknowledgements };
    this.#bodyBytes = limitBodies(channel, options.maxBodyBytes);
    this.lost = new Promise((_, reject) => (this.lose = reject));
    // Nothing may get to wait for it.
    this.lost.catch(() => undefined);
    let reason = new Error('the channel was closed');
    channel.on('error', (error: Error) => (reason = error));
    channel.on('close', () => {
      for (const delivery of this.#inFlight.values()) delivery.lose();
      this.lose(reason);
    });
  }

  /** How many deliveries are in flight on it. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  get isConsuming(): boolean {
    return this.#consumerTags.length > 0;
  }

  /**
   * Has the broker deliver as many messages at once as are wanted, by adding a consumer or cancelling all.
   *
   * @throws Error if the queue is missing, or has no leader that lets it consume in time
   */
  async adjust(): Promise<void> {
    const { wanted } = this.#options;
    if (this.#isAdjusting) return;
    this.#isAdjusting = true;
    try {
      while (!this.#retired.signal.aborted && wanted() !== this.#granted) {
        if (wanted() < this.#granted) await this.#cancel();
        else await this.#consume(wanted() - this.#granted);
      }
    } finally {
      this.#isAdjusting = false;
    }
  }

  /**
   * Loses the channel once it is deaf: the queue holds messages, nothing is in flight, and nothing comes. The broker's status of
   * such a consumer says that all is well.
   */
  async loseIfDeaf(patienceMs: () => number): Promise<void> {
    const { signal } = this.#retired;
    // A second look, since a busy broker takes a while to deliver.
    for (let looks = 0; looks < 2 && !signal.aborted;) {
      const before = this.#deliveries;
      const isIdle = (): boolean => this.isConsuming && this.inFlight === 0 && this.#deliveries === before;
      const wasIdle = isIdle();
      await pause(looks === 0 ? patienceMs() : patienceMs() / 2, signal);
      looks = wasIdle && isIdle() && (await this.#isFilled()) && isIdle() ? looks + 1 : 0;
    }
    this.lose(new Error(DEAF));
  }

  /** A delivery of this channel was settled or lost. */
  release({ message }: Delivery): void {
    this.#inFlight.delete(message.fields.deliveryTag);
    if (this.#retired.signal.aborted) this.retire();
  }

  /** Takes nothing more, and closes once nothing is in flight; waits for neither. */
  retire(): void {
    this.#retired.abort();
    if (this.#inFlight.size > 0) void this.#cancel().catch(() => undefined);
    else {
      this.#acknowledgements.flush();
      abandon(this.#channel);
    }
  }

  /** Returns what is not settled to the queue, and waits until the last acknowledgements were sent. */
  async close(): Promise<void> {
    this.#acknowledgements.flush();
    await closeWithin(CLOSE_TIMEOUT_MS, this.#channel);
  }

  async #consume(prefetch: number): Promise<void> {
    const { queue, timeoutMs, wanted } = this.#options;
    const channel = this.#channel;
    // Holds for the next consumer.
    await within(timeoutMs, 'the prefetch', channel.prefetch(prefetch));
    if (wanted() <= this.#granted) return;
    this.#granted += prefetch;
    const consuming = channel.consume(queue, (message) => this.#take(message));
    const { consumerTag } = await within(timeoutMs, 'the consumer', consuming);
    // The broker says yes before it asks a quorum queue, and its process hangs there while that has no leader.
    await within(timeoutMs, 'the consumer', channel.prefetch(prefetch));
    this.#consumerTags.push(consumerTag);
  }

  async #cancel(): Promise<void> {
    this.#granted = 0;
    const cancelled = this.#consumerTags.splice(0).map((consumerTag) => this.#channel.cancel(consumerTag));
    await within(CLOSE_TIMEOUT_MS, 'the cancellation', Promise.all(cancelled));
  }

  /** Whether messages wait in the queue. If it or the connection has gone, their own events say so. */
  async #isFilled(): Promise<boolean> {
    const { queue } = this.#options;
    const asked = within(DEPTH_TIMEOUT_MS, 'the depth of the queue', this.#channel.checkQueue(queue));
    // The process of this channel may hang in the broker.
    const answered = asked.catch(() => countsOf(this.#model, queue));
    const counts = await answered.catch(() => undefined);
    return counts !== undefined && counts.messageCount > 0;
  }

  #take(message: ConsumeMessage | null): void {
    if (!message) {
      this.lose(new Error(CANCELLED));
      return;
    }
    this.#deliveries += 1;
    const delivery = new Delivery(message, this.#bodyBytes(), this.#delivering);
    this.#inFlight.set(message.fields.deliveryTag, delivery);
    this.#options.onDelivery(delivery);
  }
}
