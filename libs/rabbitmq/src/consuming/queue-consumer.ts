import type { ChannelModel } from 'amqplib';

import type { BrokerConnection } from '../connection/broker-connection.ts';
import { releaseOf } from '../connection/broker-release.ts';
import { pause, within } from '../connection/within.ts';
import { ConsumerChannel } from './consumer-channel.ts';
import { CAUTIOUS, CONSUMING, type ConsumerState, FIRST_PREFETCH, type Mode } from './consumer-mode.ts';
import type { Delivery } from './delivery.ts';
import { whenDeaf } from './when-deaf.ts';

/** Pause before a consumer that was lost is recreated. */
const RECREATE_PAUSE_MS = 200;
/** Pause before the broker is asked again for what its user may not have. */
const REFUSED_PAUSE_MS = 2_000;
/** A channel that hangs on a queue without a leader still hangs after the election; doubled at each try, for a slow broker. */
const FIRST_TIMEOUT_MS = 1_500;
const LONGEST_TIMEOUT_MS = 4_000;
/** How long it may fail before the connection is given up for another node; not a young one, since others use it, too. */
const STUCK_MS = 5_000;
const CONNECTION_KEPT_MS = 60_000;
/** Deliveries of lost channels that may be in flight beside those of the next one, in prefetches. */
const MAX_LOST_PREFETCHES = 2;
/** How long a new process takes only a few. */
const FIRST_MS = 2_000;
/**
 * How long nothing may come out of a queue that holds messages; doubled each time that the consumer is recreated for it, since
 * the message would be delivered anew: RabbitMQ 4 needs seven seconds for one whose headers are 100 kB of lists in lists.
 */
const FIRST_PATIENCE_MS = 1_000;
const LONGEST_PATIENCE_MS = 32_000;
const ACCESS_REFUSED = 403;

export interface QueueConsumerOptions {
  readonly queue: string;
  /** The most messages in flight. */
  readonly prefetch: number;
  /** Of a longer body, only the beginning is kept. Default: all of it is. */
  readonly maxBodyBytes?: number;
  /** Whether, as far as is known, what is taken can be served; default yes. After a pause, one is taken at a time until then. */
  readonly isServed?: () => boolean;
  /** Settles the delivery in the end. If it throws, the delivery is returned to the queue. */
  readonly handle: (delivery: Delivery) => Promise<void>;
  /** Called when it does not consume any more though the connection stands, or cannot for another reason: it goes on trying. */
  readonly onLost?: (error: Error) => void;
  /** Called when it consumes. */
  readonly onConsuming?: () => void;
}

type Declare = (model: ChannelModel) => Promise<void>;

/** Takes the messages of one queue, a bounded number at a time, over as many channels and connections as that takes. */
export class QueueConsumer {
  readonly #options: QueueConsumerOptions;
  #mode: Mode;
  /** The channel in use; those that were lost go with their last delivery. */
  #channel: ConsumerChannel | undefined;
  #isHeld = false;
  /** Over all channels, lost ones included. */
  #inFlight = 0;
  #deliveries = 0;
  #patienceMs = FIRST_PATIENCE_MS;
  #lastError: Error | undefined;
  #isStarted = false;

  constructor(options: QueueConsumerOptions) {
    this.#options = options;
    this.#mode = options.prefetch > FIRST_PREFETCH ? CAUTIOUS : CONSUMING;
  }

  get queue(): string {
    return this.#options.queue;
  }

  get state(): ConsumerState {
    const { kind } = this.#mode;
    if (kind === 'draining' || kind === 'stopped') return kind;
    if (kind === 'paused' || this.#isFull) return 'paused';
    return this.#channel?.isConsuming && !this.#isHeld ? 'consuming' : 'waiting for the broker';
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Why the broker does not let it consume, though the connection stands. */
  get lastError(): Error | undefined {
    return this.#lastError;
  }

  /**
   * Begins to consume; returns at once.
   *
   * @param declare called before it is recreated on a connection that stands: its queue may have been deleted
   */
  start(connection: BrokerConnection, declare: Declare = () => Promise.resolve()): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    void this.#keep(connection, declare);
  }

  /** Leaves the queue alone for a while; what is in flight goes on. */
  pause(durationMs: number): void {
    if (this.state !== 'consuming') return;
    const timer = setTimeout(() => this.#change(this.#oneAtATime()), durationMs);
    this.#change({ kind: 'paused', timer });
  }

  /** Leaves the queue alone until it is told otherwise; what is in flight goes on. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#change(this.#mode);
  }

  /**
   * Takes the rest of the prefetch if it probes, has taken something, and more can be served. Looked at whenever a
   * delivery is settled; call it when a delivery that still goes on has shown that more can be.
   */
  widenIfServed(): void {
    const { isServed = () => true } = this.#options;
    const mode = this.#mode;
    if (mode.kind === 'probing' && this.#deliveries > mode.deliveriesBefore && isServed())
      this.#change(CONSUMING);
  }

  /** Takes nothing more, waits for what is in flight at most `graceMs`, and returns the rest to the queue. */
  async drain(graceMs: number): Promise<void> {
    if (this.#mode.kind === 'paused') clearTimeout(this.#mode.timer);
    const emptied = new Promise<void>((onEmpty) => this.#change({ kind: 'draining', onEmpty }));
    if (this.#inFlight > 0) await within(graceMs, 'what is in flight', emptied).catch(() => undefined);
    this.#change({ kind: 'stopped' });
    await this.#channel?.close();
  }

  async #keep(connection: BrokerConnection, declare: Declare): Promise<void> {
    let timeoutMs = FIRST_TIMEOUT_MS;
    let failingSinceMs: number | undefined;
    while (!this.#isStopping) {
      const model = await connection.established().catch(() => undefined);
      if (!model) return;
      try {
        if (failingSinceMs !== undefined) await declare(model).catch(() => undefined);
        await this.#serve(model, timeoutMs, () => {
          timeoutMs = FIRST_TIMEOUT_MS;
          failingSinceMs = undefined;
          this.#lastError = undefined;
        });
      } catch (thrown) {
        const error = thrown as Error;
        if (this.#isStopping) return;
        const isRefused = (error as { code?: unknown }).code === ACCESS_REFUSED;
        failingSinceMs = connection.isCurrent(model) ? (failingSinceMs ?? performance.now()) : undefined;
        timeoutMs = Math.min(2 * timeoutMs, LONGEST_TIMEOUT_MS);
        const isNew = failingSinceMs !== undefined && error.message !== this.#lastError?.message;
        this.#lastError = failingSinceMs === undefined ? undefined : error;
        if (isNew) this.#options.onLost?.(error);
        if (!isRefused && performance.now() - (failingSinceMs ?? Infinity) > STUCK_MS) {
          connection.reset(model, `${this.queue}: ${error.message}`, CONNECTION_KEPT_MS);
        }
        await pause(isRefused ? REFUSED_PAUSE_MS : RECREATE_PAUSE_MS);
      }
    }
  }

  /** @throws Error always in the end: why it cannot consume, or does not any more */
  async #serve(model: ChannelModel, timeoutMs: number, onOpen: () => void): Promise<never> {
    const { queue, maxBodyBytes = Number.POSITIVE_INFINITY, onConsuming } = this.#options;
    const opened = await within(timeoutMs, 'a channel', model.createChannel());
    const channel: ConsumerChannel = new ConsumerChannel(opened, queue, {
      release: releaseOf(model),
      maxBodyBytes,
      timeoutMs,
      onDelivery: (delivery) => this.#take(channel, delivery),
    });
    const ending = new AbortController();
    this.#channel = channel;
    try {
      await Promise.race([channel.adjust(() => this.#wanted), channel.lost]);
      onOpen();
      if (this.#mode === CAUTIOUS) setTimeout(() => this.#endCaution(), FIRST_MS).unref();
      if (channel.isConsuming) onConsuming?.();
      const patience = (): number => this.#patienceMs;
      const deaf = whenDeaf(model, queue, patience, () => this.#received, ending.signal);
      deaf.catch(() => {
        if (!ending.signal.aborted) this.#patienceMs = Math.min(2 * this.#patienceMs, LONGEST_PATIENCE_MS);
      });
      return await Promise.race([channel.lost, deaf]);
    } finally {
      ending.abort();
      this.#channel = undefined;
      if (this.#deliveries > 0) this.#endCaution();
      channel.retire();
    }
  }

  #take(channel: ConsumerChannel, delivery: Delivery): void {
    // Sent before the broker heard of the cancellation: another consumer may have it at once.
    if (this.#isStopping) {
      delivery.requeue();
      channel.release(delivery);
      return;
    }
    this.#deliveries += 1;
    this.#patienceMs = FIRST_PATIENCE_MS;
    this.#inFlight += 1;
    void this.#handle(delivery).then(() => this.#settled(channel, delivery));
  }

  async #handle(delivery: Delivery): Promise<void> {
    try {
      await this.#options.handle(delivery);
    } catch {
      delivery.requeue();
    }
  }

  #settled(channel: ConsumerChannel, delivery: Delivery): void {
    const wasFull = this.#isFull;
    this.#inFlight -= 1;
    channel.release(delivery);
    const mode = this.#mode;
    if (mode.kind === 'draining' && this.#inFlight === 0) mode.onEmpty();
    if (mode.kind === 'probing') this.widenIfServed();
    if (wasFull && !this.#isFull) this.#change(this.#mode);
  }

  /** How many messages the broker is to have delivered at once. */
  get #wanted(): number {
    const mode = this.#mode;
    if (this.#isHeld || this.#isFull) return 0;
    if (mode.kind === 'probing') return mode.prefetch;
    return mode.kind === 'consuming' ? this.#options.prefetch : 0;
  }

  get #isFull(): boolean {
    return this.#inFlight - (this.#channel?.inFlight ?? 0) > MAX_LOST_PREFETCHES * this.#options.prefetch;
  }

  get #isStopping(): boolean {
    return this.#mode.kind === 'draining' || this.#mode.kind === 'stopped';
  }

  /** How many messages it was given; `undefined` if none need come. */
  get #received(): number | undefined {
    return this.state === 'consuming' && this.#inFlight === 0 ? this.#deliveries : undefined;
  }

  #endCaution(): void {
    if (this.#mode === CAUTIOUS) this.#change(CONSUMING);
  }

  #oneAtATime(): Mode {
    return { kind: 'probing', prefetch: 1, deliveriesBefore: this.#deliveries };
  }

  #change(mode: Mode): void {
    this.#mode = mode;
    const channel = this.#channel;
    channel?.adjust(() => this.#wanted).catch((error: unknown) => channel.lose(error as Error));
  }
}
