import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';

import { limitBodies } from '../amqplib/limit-bodies.ts';
import { type BrokerRelease, releaseOf } from '../connection/broker-release.ts';
import { closeInTime, COUNTS_TIMEOUT_MS, countsOf, tryToClose } from '../channel/channel.ts';
import { pause, within } from '../channel/time-limit.ts';
import { Acknowledgements } from '../amqplib/acknowledgements.ts';
import { Delivery } from './delivery.ts';

const CANCEL_TIMEOUT_MS = 2_000;
/**
 * From RabbitMQ 4.3 on, this argument overrides the broker's `consumer_timeout`, which an administrator may
 * have set shorter than the time that a message needs. The value is the broker's default.
 */
const CONSUMER_TIMEOUT = { 'x-consumer-timeout': 1_800_000 };
/** Matches the error of a queue that does not support the argument, such as a classic queue. */
export const TIMEOUT_REFUSED = /x-consumer-timeout/;
/**
 * With this many acknowledgements unapplied by a quorum queue, its channel withholds further ones and drops
 * them when it closes.
 */
const MAX_UNAPPLIED = 32;
export const DEAF = 'its queue holds messages, and none came';
const CANCELLED =
  'the broker cancelled the consumer: its queue was deleted or moved, or consumer_timeout has passed';

export interface ConsumerChannelOptions {
  readonly queue: string;
  /** Longer bodies are truncated. */
  readonly maxBodyBytes: number;
  /** The time limit of the broker's answer to each change of the prefetch. */
  readonly timeoutMs: number;
  /** Default: 0. */
  readonly priority?: number | undefined;
  /** False if the queue has refused the argument. */
  readonly setsConsumerTimeout: boolean;
  /** The receiver calls `forget` when the delivery is settled. */
  readonly onDelivery: (delivery: Delivery) => void;
  readonly onLost: () => void;
}

/** One channel of a consumer with its in-flight deliveries, which can only be acknowledged on it. */
export class ConsumerChannel {
  readonly queue: string;
  readonly release: BrokerRelease;
  readonly acknowledgements: Acknowledgements;
  readonly #model: ChannelModel;
  readonly #channel: Channel;
  readonly #options: ConsumerChannelOptions;
  readonly #onMessage: (message: ConsumeMessage | null) => void;
  /** Active consumers. There are two after a probe: the second one has the rest of the prefetch. */
  #consumerTags: string[] = [];
  /** The sum of their prefetches that the broker has confirmed. */
  #granted = 0;
  #isOpen = true;
  #inFlight = 0;
  /** The number of consumers opened, including cancelled ones. */
  #consumers = 0;
  #deliveries = 0;
  /**
   * The number of acknowledgement frames at the last cancellation. The queue answers a cancellation after it
   * has applied them.
   */
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

  /**
   * Why the channel is lost: closed or cancelled by the broker, unanswered, or deaf; `undefined` while it is
   * in use.
   */
  get lostBy(): Error | undefined {
    return this.#ended.signal.reason as Error | undefined;
  }

  /**
   * Changes the prefetch by adding a consumer or cancelling all. The channel is lost if the broker does not
   * answer.
   */
  async adjust(wanted: number): Promise<void> {
    try {
      if (wanted < this.#granted) await this.#cancel();
      if (wanted > this.#granted) await this.#consume(wanted - this.#granted);
    } catch (error) {
      this.lose(error as Error);
    }
  }

  /**
   * Loses the channel when it is deaf: the queue has messages, nothing is in flight, and nothing is
   * delivered. The broker's own status reports such a consumer as healthy.
   */
  async loseIfDeaf(patienceMs: () => number): Promise<void> {
    const { signal } = this.#ended;
    // Checked twice, because a busy broker takes a while to deliver.
    for (let checks = 0; checks < 2 && !signal.aborted;) {
      const before = this.#deliveries;
      const isIdle = (): boolean => this.isConsuming && this.#inFlight === 0 && this.#deliveries === before;
      const wasIdle = isIdle();
      await pause(checks === 0 ? patienceMs() : patienceMs() / 2, signal);
      checks = wasIdle && isIdle() && (await this.#isFilled()) && isIdle() ? checks + 1 : 0;
    }
    this.lose(new Error(DEAF));
  }

  /** Stops consuming on this channel, which closes after its last in-flight delivery. Returns at once. */
  lose(reason: Error): void {
    this.#ended.abort(reason);
    this.#options.onLost();
    this.#retire();
  }

  /** Called when a delivery is no longer in flight. */
  forget(): void {
    this.#inFlight -= 1;
    if (this.#ended.signal.aborted) this.#retire();
  }

  /** Requeues unsettled deliveries, and waits until the queue has applied the last acknowledgements. */
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
    const { timeoutMs, priority = 0, setsConsumerTimeout } = this.#options;
    const channel = this.#channel;
    // The tag is chosen here, so that the consumer can be cancelled even if the broker has not answered in
    // time.
    const consumerTag = `consumer-${(this.#consumers += 1)}`;
    this.#consumerTags.push(consumerTag);
    const limited = channel.prefetch(prefetch);
    const consuming = channel.consume(this.queue, this.#onMessage, {
      consumerTag,
      priority,
      arguments: setsConsumerTimeout ? CONSUMER_TIMEOUT : undefined,
    });
    // The broker confirms before it asks a quorum queue, and the channel's process hangs while the queue has
    // no leader.
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

  /**
   * Returns true if the queue has ready messages. A lost queue or connection is reported by its own event.
   */
  async #isFilled(): Promise<boolean> {
    const asked = within(COUNTS_TIMEOUT_MS, 'the depth of the queue', this.#channel.checkQueue(this.queue));
    // The process of this channel may hang in the broker, so another channel asks.
    const counts = await asked.catch(() => countsOf(this.#model, this.queue)).catch(() => undefined);
    return counts !== undefined && counts.messageCount > 0;
  }
}
