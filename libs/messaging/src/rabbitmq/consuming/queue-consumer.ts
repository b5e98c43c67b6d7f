import type { ChannelModel } from 'amqplib';

import { within } from '#resilience';

import { ConsumerChannel } from './consumer-channel.ts';
import { channelOf, type ConsumerMode, type ConsumerState, stateOf } from './consumer-mode.ts';
import type { Delivery } from './delivery.ts';

const CONSUME_TIMEOUT_MS = 3_000;
/** What is in flight at most, in prefetches: deliveries of lost channels go on beside those of the next ones. */
const MAX_PREFETCHES_IN_FLIGHT = 3;
/** What a process takes first, until as many are settled or it has lived for a while: one of them may kill it. */
const FIRST_PREFETCH = 64;
const FIRST_MS = 2_000;
const WAITING: ConsumerMode = { kind: 'waiting' };

type ProbingMode = Extract<ConsumerMode, { kind: 'probing' }>;
type ServingMode = Extract<ConsumerMode, { kind: 'consuming' }> | ProbingMode;

export interface QueueConsumerOptions {
  readonly queue: string;
  /** The most messages in flight. */
  readonly prefetch: number;
  /** Of a longer body, only the beginning is kept. */
  readonly maxBodyBytes: number;
  /** Whether, as far as is known, what is taken can be served; default yes. After a pause, one is taken at a time until then. */
  readonly isServed?: () => boolean;
  /** Settles the delivery in the end; never rejects. */
  readonly handle: (delivery: Delivery) => Promise<void>;
  /** The broker cancelled the consumer or closed its channel while the connection stands. */
  readonly onLost: (reason: string) => void;
}

/** Takes the messages of one queue, a bounded number at a time, on a channel of its own. */
export class QueueConsumer {
  readonly #options: QueueConsumerOptions;
  #mode: ConsumerMode = WAITING;
  /** Over all channels, lost ones included. */
  #inFlight = 0;
  #deliveries = 0;
  #isFirst = true;

  constructor(options: QueueConsumerOptions) {
    this.#options = options;
  }

  get queue(): string {
    return this.#options.queue;
  }

  get state(): ConsumerState {
    return stateOf(this.#mode);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Messages that it was given so far. */
  get deliveries(): number {
    return this.#deliveries;
  }

  get #hasRoom(): boolean {
    return this.#inFlight <= (MAX_PREFETCHES_IN_FLIGHT - 1) * this.#options.prefetch;
  }

  get #isStopping(): boolean {
    return this.#mode.kind === 'draining' || this.#mode.kind === 'stopped';
  }

  /**
   * Begins to consume over a fresh connection; the one before is gone.
   *
   * @param timeoutMs for each answer of the broker, default 3 s
   * @throws Error if the queue is missing, or has no leader that lets it consume in time
   */
  async attach(connection: ChannelModel, timeoutMs = CONSUME_TIMEOUT_MS): Promise<void> {
    if (this.#isStopping) return;
    const channel = await ConsumerChannel.open(connection, timeoutMs, {
      queue: this.#options.queue,
      maxBodyBytes: this.#options.maxBodyBytes,
      onDelivery: (from, delivery) => this.#take(from, delivery),
      onLost: (lost, reason) => this.#lose(lost, reason),
    });
    if (this.#isStopping) channel.retire();
    else if (this.#mode.kind === 'paused' || this.#mode.kind === 'full') {
      this.#mode = { ...this.#mode, channel };
    } else {
      await this.#start(this.#first(channel), timeoutMs).catch((error: unknown) => {
        if (channelOf(this.#mode) === channel) this.#mode = WAITING;
        channel.retire();
        throw error;
      });
    }
  }

  /** Leaves the queue alone for a while; what is in flight goes on. */
  async pause(durationMs: number): Promise<void> {
    const mode = this.#mode;
    if (mode.kind !== 'consuming' && mode.kind !== 'probing') return;
    const timer = setTimeout(() => this.#probe(), durationMs);
    this.#mode = { kind: 'paused', channel: mode.channel, timer };
    await mode.channel.cancel();
  }

  /**
   * Takes the rest of the prefetch if it probes, has taken something, and more can be served. Looked at whenever a
   * delivery is settled; call it when a delivery that still goes on has shown that more can be.
   */
  widenIfServed(): void {
    const { isServed = () => true } = this.#options;
    const mode = this.#mode;
    if (mode.kind === 'probing' && this.#deliveries > mode.deliveriesBefore && isServed()) this.#widen(mode);
  }

  /** Gives its channel up, so that another one replaces it; what is in flight on it is settled there. */
  reset(reason: string): void {
    const channel = channelOf(this.#mode);
    if (channel) this.#lose(channel, reason);
  }

  /** Takes nothing more, waits for what is in flight at most `graceMs`, and returns the rest to the queue. */
  async drain(graceMs: number): Promise<void> {
    const channel = channelOf(this.#mode);
    const { promise: emptied, resolve: onEmpty } = Promise.withResolvers<void>();
    if (this.#mode.kind === 'paused') clearTimeout(this.#mode.timer);
    this.#mode = { kind: 'draining', onEmpty };
    await channel?.cancel();
    if (this.#inFlight > 0) await within(graceMs, 'what is in flight', emptied).catch(() => undefined);
    this.#mode = { kind: 'stopped' };
    await channel?.close();
  }

  /** What a channel begins with: a new process does not take all that the one before it may have died of. */
  #first(channel: ConsumerChannel): ServingMode {
    const isCautious = this.#isFirst && this.#options.prefetch > FIRST_PREFETCH;
    this.#isFirst = false;
    if (!isCautious) return { kind: 'consuming', channel };
    // Twice as many are delivered when the first half is settled.
    const deliveriesBefore = 2 * FIRST_PREFETCH - 1;
    const probing: ProbingMode = { kind: 'probing', channel, prefetch: FIRST_PREFETCH, deliveriesBefore };
    setTimeout(() => this.#mode === probing && this.#widen(probing), FIRST_MS).unref();
    return probing;
  }

  /** Begins with one message at a time; without a channel, all begins again when the connection is back. */
  #probe(): void {
    const channel = channelOf(this.#mode);
    if (!channel) {
      this.#mode = WAITING;
      return;
    }
    const probing = { kind: 'probing', channel, prefetch: 1, deliveriesBefore: this.#deliveries } as const;
    this.#start(probing).catch((error: unknown) => this.#lose(channel, String(error)));
  }

  async #start(next: ServingMode, timeoutMs = CONSUME_TIMEOUT_MS): Promise<void> {
    const { channel } = next;
    if (!this.#hasRoom) {
      this.#mode = { kind: 'full', channel };
      return;
    }
    const starting: ConsumerMode = { kind: 'starting', channel };
    this.#mode = starting;
    const prefetch = next.kind === 'probing' ? next.prefetch : this.#options.prefetch;
    await channel.consume(prefetch, timeoutMs, () => this.#mode === starting);
    if (this.#mode !== starting) return;
    this.#mode = next;
    // What came meanwhile may be settled already.
    this.widenIfServed();
  }

  /** Adds a consumer for the rest of the prefetch to the one that probed, which goes on meanwhile. */
  #widen({ channel, prefetch }: ProbingMode): void {
    const consuming: ConsumerMode = { kind: 'consuming', channel };
    this.#mode = consuming;
    const rest = this.#options.prefetch - prefetch;
    if (rest === 0) return;
    channel
      .consume(rest, CONSUME_TIMEOUT_MS, () => this.#mode === consuming)
      .catch((error: unknown) => this.#lose(channel, String(error)));
  }

  #take(channel: ConsumerChannel, delivery: Delivery): void {
    // Sent before the broker heard of the cancellation: another consumer may have it at once.
    if (this.#isStopping) {
      delivery.requeue();
      channel.release(delivery);
      return;
    }
    this.#deliveries += 1;
    this.#inFlight += 1;
    void this.#options.handle(delivery).then(() => this.#settled(channel, delivery));
  }

  #settled(channel: ConsumerChannel, delivery: Delivery): void {
    this.#inFlight -= 1;
    channel.release(delivery);
    const mode = this.#mode;
    if (mode.kind === 'probing') this.widenIfServed();
    else if (mode.kind === 'full' && this.#hasRoom) this.#probe();
    else if (mode.kind === 'draining' && this.#inFlight === 0) mode.onEmpty();
  }

  /**
   * Goes on without a channel. The broker may have cancelled its consumer because the queue was deleted, and the
   * messages in flight with it: no other consumer gets those.
   */
  #lose(channel: ConsumerChannel, reason: string): void {
    const mode = this.#mode;
    if (channelOf(mode) !== channel) return;
    this.#mode = mode.kind === 'paused' || mode.kind === 'full' ? { ...mode, channel: undefined } : WAITING;
    channel.retire();
    this.#options.onLost(reason);
  }
}
