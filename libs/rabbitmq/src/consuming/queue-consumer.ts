import type { ChannelModel } from 'amqplib';

import type { BrokerConnection } from '../connection/broker-connection.ts';
import { openChannel } from '../channel/channel.ts';
import { ACCESS_REFUSED, codeOf } from '../channel/refusal.ts';
import { pause, within } from '../channel/time-limit.ts';
import { ConsumerChannel, DEAF, TIMEOUT_REFUSED } from './consumer-channel.ts';
import type { Delivery } from './delivery.ts';

/** Pauses before a lost consumer is recreated, and before a refused one is retried. */
const RECREATE_PAUSE_MS = 200;
const REFUSED_PAUSE_MS = 2_000;
/**
 * A channel that hangs on a queue without a leader still hangs after the election. Doubled at each attempt,
 * for a slow broker.
 */
const FIRST_TIMEOUT_MS = 1_500;
const LONGEST_TIMEOUT_MS = 4_000;
/**
 * After failing for this long, the consumer drops the connection in favour of another node. A younger one is
 * kept: others share it.
 */
const STUCK_MS = 5_000;
const CONNECTION_KEPT_MS = 60_000;
/** The most in-flight deliveries of lost channels, in multiples of the prefetch. */
const MAX_LOST_PREFETCHES = 2;
/**
 * The prefetch of a new process until it has run for a while: the previous process may have died of one of
 * these messages.
 */
const FIRST_PREFETCH = 64;
const FIRST_MS = 2_000;
/**
 * How long a queue with messages may deliver nothing. Doubled each time the consumer is recreated for this
 * reason, because the message is delivered again: RabbitMQ 4 needs seven seconds for headers of 100 kB of
 * nested lists.
 */
const FIRST_PATIENCE_MS = 1_000;
const LONGEST_PATIENCE_MS = 32_000;
/** The interval of checks whether more can be served, while less than the prefetch can. */
const LIMIT_CHECK_MS = 250;

export interface QueueConsumerOptions {
  readonly queue: string;
  /** The maximum number of in-flight messages. */
  readonly prefetch: number;
  /** Longer bodies are truncated. Default: no limit. */
  readonly maxBodyBytes?: number;
  /** Consumers of the highest priority receive all messages that they have room for. Default: 0. */
  readonly priority?: number | undefined;
  /**
   * Returns how many messages can currently be served at once, at most: 0 pauses consuming, and 1 takes one
   * message at a time to find out whether more can be served. Default: the prefetch.
   */
  readonly limit?: () => number;
  /** Handles a delivery and settles it. If it rejects, the delivery is requeued. */
  readonly handle: (delivery: Delivery) => Promise<void>;
  /**
   * Called when the consumer is lost or cannot be created although the connection is open. It is recreated.
   */
  readonly onLost?: (error: Error) => void;
}

/** The state as the health endpoint reports it. */
export type ConsumerState = 'waiting for the broker' | 'consuming' | 'paused' | 'draining' | 'stopped';

/** The intended behaviour. Each mode has only the members that are valid in it. */
type Mode =
  /** `cautious`: the first prefetch of a new process. */
  | { readonly kind: 'cautious' | 'consuming' | 'stopped' }
  | { readonly kind: 'draining'; readonly onEmpty: () => void };

/**
 * Consumes one queue with a bounded number of in-flight messages, over as many channels and connections as
 * necessary.
 */
export class QueueConsumer {
  readonly #options: QueueConsumerOptions;
  #mode: Mode;
  /** The channel in use. A lost channel is closed after its last delivery. */
  #channel: ConsumerChannel | undefined;
  /** Resolves the current wait: the prefetch to request has changed, or the channel is lost. */
  #wake = (): void => undefined;
  #isHeld = false;
  /** The latest `limit` of the options. */
  #limit = Infinity;
  #limitTimer: NodeJS.Timeout | undefined;
  /** On all channels, including lost ones. */
  #inFlight = 0;
  #deliveries = 0;
  #patienceMs = FIRST_PATIENCE_MS;
  #timeoutMs = FIRST_TIMEOUT_MS;
  /** False once the queue has refused the argument. */
  #setsConsumerTimeout = true;
  /** Why it cannot consume although the connection is open, and since when. */
  #failure: { readonly error: Error; readonly sinceMs: number } | undefined;

  constructor(options: QueueConsumerOptions) {
    this.#options = options;
    // With a priority, the messages that it does not take at first would go to another process.
    const isCautious = options.prefetch > FIRST_PREFETCH && options.priority === undefined;
    this.#mode = { kind: isCautious ? 'cautious' : 'consuming' };
  }

  get queue(): string {
    return this.#options.queue;
  }

  get state(): ConsumerState {
    const { kind } = this.#mode;
    if (kind === 'draining' || kind === 'stopped') return kind;
    if (this.#limit === 0 || this.#isFull) return 'paused';
    return this.#channel?.isConsuming && !this.#isHeld ? 'consuming' : 'waiting for the broker';
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Why it cannot consume although the connection is open; `undefined` if it can. */
  get lastError(): Error | undefined {
    return this.#failure?.error;
  }

  /**
   * Starts to consume, and returns at once. Call it once.
   *
   * @param declare called before the consumer is recreated, because its queue may have been deleted
   */
  start(connection: BrokerConnection, declare?: (model: ChannelModel) => Promise<unknown>): void {
    void this.#keep(connection, declare);
  }

  /** Stops consuming while `isHeld` is true. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#change();
  }

  /** Stops consuming, waits at most `graceMs` for in-flight messages, and requeues the rest. */
  async drain(graceMs: number): Promise<void> {
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

  /** Consumes until the channel is lost, and returns the reason. @throws Error if no channel opens */
  async #serve(model: ChannelModel): Promise<Error> {
    const timeoutMs = this.#timeoutMs;
    const opened = await openChannel(model, timeoutMs);
    const channel = new ConsumerChannel(model, opened, {
      maxBodyBytes: Infinity,
      ...this.#options,
      timeoutMs,
      setsConsumerTimeout: this.#setsConsumerTimeout,
      onDelivery: (delivery) => void this.#take(delivery, channel),
      onLost: () => this.#wake(),
    });
    this.#channel = channel;
    if (this.#mode.kind === 'stopped') channel.lose(new Error('stopped while the channel was opened'));
    await channel.adjust(this.#wanted);
    if (!channel.lostBy) {
      this.#timeoutMs = FIRST_TIMEOUT_MS;
      this.#failure = undefined;
      if (this.#mode.kind === 'cautious') setTimeout(() => this.#endCaution(), FIRST_MS).unref();
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

  async #take(delivery: Delivery, channel: ConsumerChannel): Promise<void> {
    this.#inFlight += 1;
    // Delivered before the broker processed the cancellation. Another consumer can take it at once.
    if (this.#isStopping) delivery.requeue();
    else {
      this.#deliveries += 1;
      this.#patienceMs = FIRST_PATIENCE_MS;
      await this.#options.handle(delivery).catch(() => delivery.requeue());
    }
    channel.forget();
    this.#inFlight -= 1;
    if (this.#mode.kind === 'draining' && this.#inFlight === 0) this.#mode.onEmpty();
    if (this.#deliveries >= 2 * FIRST_PREFETCH) this.#endCaution();
    if (this.#options.limit) this.#checkLimit();
    // A lost channel has finished a delivery, so that there may be room for more.
    if (channel !== this.#channel) this.#change();
  }

  #checkLimit(): void {
    clearTimeout(this.#limitTimer);
    if (this.#isStopping) return;
    const { limit = () => Infinity, prefetch } = this.#options;
    const before = this.#limit;
    this.#limit = limit();
    if (this.#limit !== before) this.#change();
    if (this.#limit < prefetch) this.#limitTimer = setTimeout(() => this.#checkLimit(), LIMIT_CHECK_MS);
  }

  /** The prefetch to request from the broker. */
  get #wanted(): number {
    if (this.#isHeld || this.#isFull || this.#isStopping) return 0;
    const { prefetch } = this.#options;
    return Math.min(this.#limit, this.#mode.kind === 'cautious' ? FIRST_PREFETCH : prefetch);
  }

  get #isFull(): boolean {
    return this.#inFlight - (this.#channel?.inFlight ?? 0) > MAX_LOST_PREFETCHES * this.#options.prefetch;
  }

  get #isStopping(): boolean {
    return this.#mode.kind === 'draining' || this.#mode.kind === 'stopped';
  }

  #endCaution(): void {
    if (this.#mode.kind === 'cautious') this.#change({ kind: 'consuming' });
  }

  #change(mode = this.#mode): void {
    this.#mode = mode;
    this.#wake();
  }
}
