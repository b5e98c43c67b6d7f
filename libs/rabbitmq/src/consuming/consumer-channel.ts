import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';

import { limitBodies } from '../amqplib/limit-bodies.ts';
import { type BrokerRelease, releaseOf } from '../connection/broker-release.ts';
import { closeInTime, COUNTS_TIMEOUT_MS, countsOf, tryToClose } from '../channel/channel.ts';
import { pause, within } from '../channel/time-limit.ts';
import { Acknowledgements } from '../amqplib/acknowledgements.ts';
import { Delivery } from './delivery.ts';

const CANCEL_TIMEOUT_MS = 2_000;
/**
 * From RabbitMQ 4.3 on, a consumer's own value replaces the broker's `consumer_timeout`, which its administrator may have set
 * shorter than a message may take. It is the broker's default.
 */
const CONSUMER_TIMEOUT = { 'x-consumer-timeout': 1_800_000 };
/** The reason of a channel whose queue, such as a classic one, takes no consumer with a timeout of its own. */
export const TIMEOUT_REFUSED = /x-consumer-timeout/;
/** While a quorum queue has so many acknowledgements to apply, its channel keeps back further ones, and drops them when it closes. */
const MAX_UNAPPLIED = 32;
export const DEAF = 'its queue holds messages, and none came';
const CANCELLED =
  'the broker cancelled the consumer: its queue was deleted or moved, or consumer_timeout has passed';

export interface ConsumerChannelOptions {
  readonly queue: string;
  /** Only the beginning of a longer body is kept. */
  readonly maxBodyBytes: number;
  /** For the broker's answers to each change of what is wanted. */
  readonly timeoutMs: number;
  /** False if the queue has refused it. */
  readonly setsConsumerTimeout: boolean;
  /** Ends with `forget`. */
  readonly onDelivery: (delivery: Delivery) => void;
  readonly onLost: () => void;
}

/** One channel of a consumer, and what is in flight on it: only there can it be acknowledged. */
export class ConsumerChannel {
  readonly queue: string;
  readonly release: BrokerRelease;
  readonly acknowledgements: Acknowledgements;
  readonly #model: ChannelModel;
  readonly #channel: Channel;
  readonly #options: ConsumerChannelOptions;
  readonly #onMessage: (message: ConsumeMessage | null) => void;
  /** The broker delivers to these, or will; two after a probe, the second one for the rest of the prefetch. */
  #consumerTags: string[] = [];
  /** The sum of their prefetches, once the broker has answered. */
  #granted = 0;
  #isOpen = true;
  #inFlight = 0;
  /** How many consumers were opened, also those that were cancelled. */
  #consumers = 0;
  #deliveries = 0;
  /** Acknowledgements up to the last cancellation, which the queue answers once it has applied them. */
  #applied = 0;
  readonly #ended = new AbortController();

  constructor(model: ChannelModel, channel: Channel, options: ConsumerChannelOptions) {
    this.#model = model;
    this.#channel = channel;
    this.#options = options;
    this.queue = options.queue;
    this.release = releaseOf(model);
    this.acknowledgements = new Acknowledgements(channel);
    const bodyBytes = limitBodies(channel, options.maxBodyBytes);
    this.#onMessage = (message) => {
      if (!message) return this.lose(new Error(CANCELLED));
      const delivery = new Delivery(message, bodyBytes(), this);
      this.#deliveries += 1;
      this.#inFlight += 1;
      options.onDelivery(delivery);
    };
    let reason = new Error('the channel was closed');
    channel.on('error', (error: Error) => (reason = error));
    channel.on('close', () => {
      this.#isOpen = false;
      this.lose(reason);
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get isConsuming(): boolean {
    return this.#granted > 0;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Why its use has ended: the broker has closed it or cancelled a consumer on it, does not answer, or it is deaf. */
  get lostBy(): Error | undefined {
    return this.#ended.signal.reason as Error | undefined;
  }

  /** Has the broker deliver this many messages at once, by adding a consumer or cancelling all; else it is lost. */
  async adjust(wanted: number): Promise<void> {
    try {
      if (wanted < this.#granted) await this.#cancel();
      if (wanted > this.#granted) await this.#consume(wanted - this.#granted);
    } catch (error) {
      this.lose(error as Error);
    }
  }

  /**
   * Loses the channel once it is deaf: the queue holds messages, nothing is in flight, and nothing comes. The broker's status of
   * such a consumer says that all is well.
   */
  async loseIfDeaf(patienceMs: () => number): Promise<void> {
    const { signal } = this.#ended;
    // A second look, since a busy broker takes a while to deliver.
    for (let looks = 0; looks < 2 && !signal.aborted;) {
      const before = this.#deliveries;
      const isIdle = (): boolean => this.isConsuming && this.#inFlight === 0 && this.#deliveries === before;
      const wasIdle = isIdle();
      await pause(looks === 0 ? patienceMs() : patienceMs() / 2, signal);
      looks = wasIdle && isIdle() && (await this.#isFilled()) && isIdle() ? looks + 1 : 0;
    }
    this.lose(new Error(DEAF));
  }

  /** Ends its use: takes nothing more, and closes once nothing is in flight; waits for neither. */
  lose(reason: Error): void {
    this.#ended.abort(reason);
    this.#options.onLost();
    this.#retire();
  }

  /** Called once a delivery is not in flight any more. */
  forget(): void {
    this.#inFlight -= 1;
    if (this.#ended.signal.aborted) this.#retire();
  }

  /** Returns what is not settled to the queue, and waits until that has the last acknowledgements. */
  async close(): Promise<void> {
    this.acknowledgements.flush();
    if (this.acknowledgements.frames - this.#applied > MAX_UNAPPLIED)
      await this.#consume(1)
        .then(() => this.#cancel())
        .catch(() => undefined);
    await closeInTime(this.#channel);
  }

  #retire(): void {
    if (this.#inFlight > 0) void this.#cancel().catch(() => undefined);
    else {
      this.acknowledgements.flush();
      void tryToClose(this.#channel);
    }
  }

  async #consume(prefetch: number): Promise<void> {
    const { timeoutMs } = this.#options;
    const channel = this.#channel;
    // Named here, so that it can be cancelled though the broker has not answered in time.
    const consumerTag = `consumer-${(this.#consumers += 1)}`;
    this.#consumerTags.push(consumerTag);
    const limited = channel.prefetch(prefetch);
    const consuming = channel.consume(this.queue, this.#onMessage, {
      consumerTag,
      arguments: this.#options.setsConsumerTimeout ? CONSUMER_TIMEOUT : undefined,
    });
    // The broker says yes before it asks a quorum queue, and its process hangs there while that has no leader.
    const answers = Promise.all([limited, consuming, channel.prefetch(prefetch)]);
    await within(timeoutMs, 'the consumer', answers);
    this.#granted += prefetch;
  }

  async #cancel(): Promise<void> {
    this.#granted = 0;
    this.#applied = this.acknowledgements.frames;
    const cancelled = this.#consumerTags.splice(0).map((consumerTag) => this.#channel.cancel(consumerTag));
    await within(CANCEL_TIMEOUT_MS, 'the cancellation', Promise.all(cancelled));
  }

  /** Whether messages wait in the queue. If it or the connection has gone, their own events say so. */
  async #isFilled(): Promise<boolean> {
    const asked = within(COUNTS_TIMEOUT_MS, 'the depth of the queue', this.#channel.checkQueue(this.queue));
    // The process of this channel may hang in the broker.
    const counts = await asked.catch(() => countsOf(this.#model, this.queue)).catch(() => undefined);
    return counts !== undefined && counts.messageCount > 0;
  }
}
