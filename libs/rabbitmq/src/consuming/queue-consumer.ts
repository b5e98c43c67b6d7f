import type { ChannelModel } from 'amqplib';

import type { BrokerConnection } from '../connection/broker-connection.ts';
import { openChannel } from '../channel/channel.ts';
import { ACCESS_REFUSED, codeOf } from '../channel/refusal.ts';
import { pause, within } from '../channel/time-limit.ts';
import { ConsumerChannel, DEAF, TIMEOUT_REFUSED } from './consumer-channel.ts';
import type { Delivery } from './delivery.ts';

/** Before a consumer that was lost is recreated, and before the broker is asked again for what its user may not have. */
const RECREATE_PAUSE_MS = 200;
const REFUSED_PAUSE_MS = 2_000;
/** A channel that hangs on a queue without a leader still hangs after the election; doubled at each try, for a slow broker. */
const FIRST_TIMEOUT_MS = 1_500;
const LONGEST_TIMEOUT_MS = 4_000;
/** How long it may fail before the connection is given up for another node; not a young one, since others use it, too. */
const STUCK_MS = 5_000;
const CONNECTION_KEPT_MS = 60_000;
/** Deliveries of lost channels that may be in flight beside those of the next one, in prefetches. */
const MAX_LOST_PREFETCHES = 2;
/** What a process takes first, until it has lived for a while: it must not take all that the one before it may have died of. */
const FIRST_PREFETCH = 64;
const FIRST_MS = 2_000;
/**
 * How long nothing may come out of a queue that holds messages; doubled each time that the consumer is recreated for it, since
 * the message would be delivered again: RabbitMQ 4 needs seven seconds for one whose headers are 100 kB of lists in lists.
 */
const FIRST_PATIENCE_MS = 1_000;
const LONGEST_PATIENCE_MS = 32_000;

export interface QueueConsumerOptions {
  readonly queue: string;
  /** The most messages in flight. */
  readonly prefetch: number;
  /** Only the beginning of a longer body is kept. Default: all of it is. */
  readonly maxBodyBytes?: number;
  /** Whether, as far as is known, what is taken can be served; default yes. After a pause, one is taken at a time until then. */
  readonly isServed?: () => boolean;
  /** Settles the delivery in the end. If it rejects, the delivery is returned to the queue. */
  readonly handle: (delivery: Delivery) => Promise<void>;
  /** Called when the consumer is lost, or cannot be created, though there is a connection; it is recreated. */
  readonly onLost?: (error: Error) => void;
}

/** In the words of health. */
export type ConsumerState = 'waiting for the broker' | 'consuming' | 'paused' | 'draining' | 'stopped';

/** What it is meant to do; each mode holds what is valid in it alone. */
type Mode =
  | { readonly kind: 'consuming' }
  /** Takes some at first, or one at a time after a pause, until more than `after` were delivered and more can be served. */
  | { readonly kind: 'probing'; readonly prefetch: number; readonly after: number }
  /** On purpose, for a while. */
  | { readonly kind: 'paused'; readonly timer: NodeJS.Timeout }
  | { readonly kind: 'draining'; readonly onEmpty: () => void }
  | { readonly kind: 'stopped' };

const CONSUMING: Mode = { kind: 'consuming' };
const CAUTIOUS: Mode = { kind: 'probing', prefetch: FIRST_PREFETCH, after: 2 * FIRST_PREFETCH - 1 };

/** Takes the messages of one queue, a bounded number at a time, over as many channels and connections as that takes. */
export class QueueConsumer {
  readonly #options: QueueConsumerOptions;
  #mode: Mode;
  /** The channel in use; those that were lost go with their last delivery. */
  #channel: ConsumerChannel | undefined;
  /** Called when what is wanted has changed, and when the channel is lost. */
  #wake = (): void => undefined;
  #isHeld = false;
  /** Over all channels, lost ones included. */
  #inFlight = 0;
  #deliveries = 0;
  #patienceMs = FIRST_PATIENCE_MS;
  #timeoutMs = FIRST_TIMEOUT_MS;
  /** Until the queue refuses it. */
  #setsConsumerTimeout = true;
  /** Why the broker does not let it consume, though there is a connection, and since when. */
  #failure: { readonly error: Error; readonly sinceMs: number } | undefined;

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

  /** Why the broker does not let it consume, though there is a connection. */
  get lastError(): Error | undefined {
    return this.#failure?.error;
  }

  /**
   * Begins to consume; returns at once. Called once.
   *
   * @param declare called before it is recreated on the same connection: its queue may have been deleted
   */
  start(connection: BrokerConnection, declare?: (model: ChannelModel) => Promise<unknown>): void {
    void this.#keep(connection, declare);
  }

  /** Leaves the queue alone for a while; what is in flight continues. */
  pause(durationMs: number): void {
    if (this.state !== 'consuming') return;
    const probe = (): void => this.#change({ kind: 'probing', prefetch: 1, after: this.#deliveries });
    this.#change({ kind: 'paused', timer: setTimeout(probe, durationMs) });
  }

  /** Leaves the queue alone until it is not held any more. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#change();
  }

  /** Takes the rest of the prefetch after a probe. Call it when a delivery that is still in flight shows that more can be served. */
  widenIfServed(): void {
    const { isServed = () => true } = this.#options;
    const mode = this.#mode;
    if (mode.kind === 'probing' && this.#deliveries > mode.after && isServed()) this.#change(CONSUMING);
  }

  /** Takes nothing more, waits for what is in flight at most `graceMs`, and returns the rest to the queue. */
  async drain(graceMs: number): Promise<void> {
    if (this.#mode.kind === 'paused') clearTimeout(this.#mode.timer);
    const emptied = new Promise<void>((onEmpty) => this.#change({ kind: 'draining', onEmpty }));
    if (this.#inFlight > 0) await within(graceMs, 'what is in flight', emptied).catch(() => undefined);
    this.#change({ kind: 'stopped' });
    await this.#channel?.close();
  }

  async #keep(...[connection, declare]: Parameters<QueueConsumer['start']>): Promise<void> {
    while (!this.#isStopping) {
      const model = await connection.established().catch(() => undefined);
      if (!model) return;
      if (this.#failure) await declare?.(model).catch(() => undefined);
      const error = await this.#serve(model).catch((thrown: unknown) => thrown as Error);
      this.#channel = undefined;
      if (this.#isStopping) return;
      if (this.#deliveries > 0) this.#endCaution();
      if (error.message === DEAF) this.#patienceMs = Math.min(2 * this.#patienceMs, LONGEST_PATIENCE_MS);
      this.#timeoutMs = Math.min(2 * this.#timeoutMs, LONGEST_TIMEOUT_MS);
      const { error: before, sinceMs = performance.now() } = this.#failure ?? {};
      this.#failure = connection.model === model ? { error, sinceMs } : undefined;
      if (this.#failure && error.message !== before?.message) this.#options.onLost?.(error);
      const isRefused = codeOf(error) === ACCESS_REFUSED;
      if (this.#failure && !isRefused && performance.now() - sinceMs > STUCK_MS)
        connection.reset(model, `${this.queue}: ${error.message}`, CONNECTION_KEPT_MS);
      await pause(isRefused ? REFUSED_PAUSE_MS : RECREATE_PAUSE_MS);
    }
  }

  /** Consumes until the channel is lost, and says why it was. @throws Error if no channel opens */
  async #serve(model: ChannelModel): Promise<Error> {
    const timeoutMs = this.#timeoutMs;
    const opened = await openChannel(model, timeoutMs);
    const channel: ConsumerChannel = new ConsumerChannel(model, opened, {
      maxBodyBytes: Infinity,
      ...this.#options,
      timeoutMs,
      setsConsumerTimeout: this.#setsConsumerTimeout,
      onDelivery: (delivery) => this.#take(delivery, channel),
      onLost: () => this.#wake(),
    });
    this.#channel = channel;
    if (this.#mode.kind === 'stopped') channel.lose(new Error('stopped while the channel was opened'));
    await channel.adjust(this.#wanted);
    if (!channel.lostBy) {
      this.#timeoutMs = FIRST_TIMEOUT_MS;
      this.#failure = undefined;
      if (this.#mode === CAUTIOUS) setTimeout(() => this.#endCaution(), FIRST_MS).unref();
      void channel.loseIfDeaf(() => this.#patienceMs);
    }
    while (!channel.lostBy) {
      const changed = new Promise<void>((resolve) => (this.#wake = resolve));
      await channel.adjust(this.#wanted);
      await changed;
    }
    if (TIMEOUT_REFUSED.test(channel.lostBy.message)) this.#setsConsumerTimeout = false;
    return channel.lostBy;
  }

  #take(delivery: Delivery, channel: ConsumerChannel): void {
    this.#inFlight += 1;
    const settled = (): void => this.#settled(channel);
    const returned = (): void => {
      delivery.requeue();
      settled();
    };
    // Sent before the broker heard of the cancellation: another consumer may have it at once.
    if (this.#isStopping) return returned();
    this.#deliveries += 1;
    this.#patienceMs = FIRST_PATIENCE_MS;
    this.#options.handle(delivery).then(settled, returned);
  }

  #settled(channel: ConsumerChannel): void {
    channel.forget();
    this.#inFlight -= 1;
    if (this.#mode.kind === 'draining' && this.#inFlight === 0) this.#mode.onEmpty();
    this.widenIfServed();
    // There may be room again.
    if (channel !== this.#channel) this.#change();
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

  #endCaution(): void {
    if (this.#mode === CAUTIOUS) this.#change(CONSUMING);
  }

  #change(mode = this.#mode): void {
    this.#mode = mode;
    this.#wake();
  }
}
