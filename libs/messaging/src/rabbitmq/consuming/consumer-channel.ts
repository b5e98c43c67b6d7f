import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';

import { within } from '#resilience';

import { type BrokerRelease, releaseOf } from '../connection/broker-release.ts';
import { abandon, closeWithin } from '../connection/close-within.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { asAmqp091 } from './amqp-1.0.ts';
import { type Acknowledger, Delivery } from './delivery.ts';
import { limitBodies } from './limit-bodies.ts';

const CLOSE_TIMEOUT_MS = 2_000;
const CANCELLED = 'the broker cancelled the consumer; its queue was deleted or moved';

export interface ConsumerChannelOptions {
  readonly queue: string;
  /** Of a longer body, only the beginning is kept. */
  readonly maxBodyBytes: number;
  readonly onDelivery: (channel: ConsumerChannel, delivery: Delivery) => void;
  /** The broker closed the channel, or cancelled one of its consumers. May be called more than once. */
  readonly onLost: (channel: ConsumerChannel, reason: string) => void;
}

/** One channel of a consumer, and what is in flight on it: only there can it be acknowledged. */
export class ConsumerChannel {
  readonly #channel: Channel;
  readonly #options: ConsumerChannelOptions;
  readonly #acknowledger: Acknowledger;
  readonly #release: BrokerRelease;
  readonly #bodyBytes: () => number;
  /** By delivery tag. */
  readonly #inFlight = new Map<number, Delivery>();
  /** Two after a probe: the consumer that probed, and the one for the rest of the prefetch. */
  readonly #consumerTags = new Set<string>();
  #isRetired = false;

  private constructor(channel: Channel, release: BrokerRelease, options: ConsumerChannelOptions) {
    this.#channel = channel;
    this.#release = release;
    this.#options = options;
    this.#acknowledger = new Acknowledgements(channel);
    this.#bodyBytes = limitBodies(channel, options.maxBodyBytes);
    let reason = 'the channel was closed';
    channel.on('error', (error) => (reason = error.message));
    channel.on('close', () => {
      for (const delivery of this.#inFlight.values()) delivery.lose();
      options.onLost(this, reason);
    });
  }

  /** @throws Error if the broker does not open it in time */
  static async open(
    connection: ChannelModel,
    timeoutMs: number,
    options: ConsumerChannelOptions,
  ): Promise<ConsumerChannel> {
    const channel = await within(timeoutMs, 'a channel', connection.createChannel());
    return new ConsumerChannel(channel, releaseOf(connection), options);
  }

  /**
   * Adds a consumer.
   *
   * @param timeoutMs for each answer of the broker
   * @param isWanted asked before the broker is asked for the consumer, and when the consumer is there
   * @throws Error if the queue is missing, or has no leader that lets it consume in time
   */
  async consume(prefetch: number, timeoutMs: number, isWanted: () => boolean): Promise<void> {
    const channel = this.#channel;
    await within(timeoutMs, 'the prefetch', channel.prefetch(prefetch));
    if (!isWanted()) return;
    const consuming = channel.consume(this.#options.queue, (message) => this.#take(message));
    const { consumerTag } = await within(timeoutMs, 'the consumer', consuming);
    this.#consumerTags.add(consumerTag);
    // The broker says yes before it asks a quorum queue, and its process hangs there while that has no leader.
    await within(timeoutMs, 'the consumer', channel.prefetch(prefetch));
    if (!isWanted()) await this.#cancel([consumerTag]);
  }

  /** Takes nothing more; what is in flight goes on. */
  cancel(): Promise<void> {
    return this.#cancel([...this.#consumerTags]);
  }

  /** A delivery of this channel was settled or lost. */
  release({ message }: Delivery): void {
    this.#inFlight.delete(message.fields.deliveryTag);
    if (this.#isRetired && this.#inFlight.size === 0) this.#close();
  }

  /** Takes nothing more, and closes once nothing is in flight; waits for neither. */
  retire(): void {
    this.#isRetired = true;
    if (this.#inFlight.size > 0) void this.cancel();
    else this.#close();
  }

  /** Returns what is not settled to the queue, and waits until the last acknowledgements were sent. */
  async close(): Promise<void> {
    this.#acknowledger.flush();
    await closeWithin(CLOSE_TIMEOUT_MS, this.#channel);
  }

  #take(message: ConsumeMessage | null): void {
    const { queue, onDelivery, onLost } = this.#options;
    if (!message) {
      onLost(this, CANCELLED);
      return;
    }
    const delivery = new Delivery(
      asAmqp091(message),
      queue,
      this.#acknowledger,
      this.#release,
      this.#bodyBytes(),
    );
    this.#inFlight.set(message.fields.deliveryTag, delivery);
    onDelivery(this, delivery);
  }

  async #cancel(consumerTags: readonly string[]): Promise<void> {
    const cancelled = consumerTags.map(async (consumerTag) => {
      this.#consumerTags.delete(consumerTag);
      await this.#channel.cancel(consumerTag);
    });
    await within(CLOSE_TIMEOUT_MS, 'the cancellation', Promise.all(cancelled)).catch(() => undefined);
  }

  #close(): void {
    this.#acknowledger.flush();
    abandon(this.#channel);
  }
}
