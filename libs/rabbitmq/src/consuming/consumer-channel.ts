import type { Channel, ConsumeMessage } from 'amqplib';

import type { BrokerRelease } from '../connection/broker-release.ts';
import { abandon, closeWithin } from '../connection/close-within.ts';
import { within } from '../connection/within.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { asAmqp091 } from './amqp-1.0.ts';
import { Delivery } from './delivery.ts';
import { limitBodies } from './limit-bodies.ts';

const CLOSE_TIMEOUT_MS = 2_000;
const CANCELLED = 'the broker cancelled the consumer; its queue was deleted or moved';

export interface ConsumerChannelOptions {
  readonly release: BrokerRelease;
  /** Of a longer body, only the beginning is kept. */
  readonly maxBodyBytes: number;
  /** For each answer of the broker. */
  readonly timeoutMs: number;
  readonly onDelivery: (delivery: Delivery) => void;
}

/** One channel of a consumer, and what is in flight on it: only there can it be acknowledged. */
export class ConsumerChannel {
  /** Rejects when the broker closes the channel, or cancels a consumer on it, or by `lose`. */
  readonly lost: Promise<never>;
  /** Ends the use of the channel. */
  lose: (reason: Error) => void = () => undefined;
  readonly #channel: Channel;
  readonly #queue: string;
  readonly #options: ConsumerChannelOptions;
  readonly #acknowledgements: Acknowledgements;
  readonly #bodyBytes: () => number;
  /** By delivery tag. */
  readonly #inFlight = new Map<number, Delivery>();
  /** The broker delivers to these; two after a probe, the second one for the rest of the prefetch. */
  #consumerTags: string[] = [];
  /** The sum of their prefetches. */
  #granted = 0;
  #isAdjusting = false;
  #isRetired = false;

  constructor(channel: Channel, queue: string, options: ConsumerChannelOptions) {
    this.#channel = channel;
    this.#queue = queue;
    this.#options = options;
    this.#acknowledgements = new Acknowledgements(channel);
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
   * @param wanted asked again after each answer
   * @throws Error if the queue is missing, or has no leader that lets it consume in time
   */
  async adjust(wanted: () => number): Promise<void> {
    if (this.#isAdjusting) return;
    this.#isAdjusting = true;
    try {
      while (!this.#isRetired && wanted() !== this.#granted) {
        if (wanted() < this.#granted) await this.#cancel();
        else await this.#consume(wanted() - this.#granted, wanted);
      }
    } finally {
      this.#isAdjusting = false;
    }
  }

  /** A delivery of this channel was settled or lost. */
  release({ message }: Delivery): void {
    this.#inFlight.delete(message.fields.deliveryTag);
    if (this.#isRetired) this.retire();
  }

  /** Takes nothing more, and closes once nothing is in flight; waits for neither. */
  retire(): void {
    this.#isRetired = true;
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

  async #consume(prefetch: number, wanted: () => number): Promise<void> {
    const channel = this.#channel;
    // Holds for the next consumer.
    await within(this.#options.timeoutMs, 'the prefetch', channel.prefetch(prefetch));
    if (wanted() <= this.#granted) return;
    this.#granted += prefetch;
    const consuming = channel.consume(this.#queue, (message) => this.#take(message));
    const { consumerTag } = await within(this.#options.timeoutMs, 'the consumer', consuming);
    // The broker says yes before it asks a quorum queue, and its process hangs there while that has no leader.
    await within(this.#options.timeoutMs, 'the consumer', channel.prefetch(prefetch));
    this.#consumerTags.push(consumerTag);
  }

  async #cancel(): Promise<void> {
    this.#granted = 0;
    const cancelled = this.#consumerTags.splice(0).map((consumerTag) => this.#channel.cancel(consumerTag));
    await within(CLOSE_TIMEOUT_MS, 'the cancellation', Promise.all(cancelled));
  }

  #take(message: ConsumeMessage | null): void {
    if (!message) {
      this.lose(new Error(CANCELLED));
      return;
    }
    const { release, onDelivery } = this.#options;
    const delivery = new Delivery(
      asAmqp091(message),
      this.#queue,
      this.#acknowledgements,
      release,
      this.#bodyBytes(),
    );
    this.#inFlight.set(message.fields.deliveryTag, delivery);
    onDelivery(delivery);
  }
}
