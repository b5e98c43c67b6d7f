import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';

import { abortable, pause } from '../connection/abortable.ts';
import { abandon, reasonOf, within } from '../connection/broker-calls.ts';
import type { Connection } from '../connection/connection.ts';
import { type Deferred, deferred } from '../connection/deferred.ts';
import { whenPassedOver } from './when-passed-over.ts';

/** A channel that hangs on a queue without a leader still hangs after the election; doubled at each try. */
const FIRST_TIMEOUT_MS = 2_000;
const LONGEST_TIMEOUT_MS = 8_000;
const PAUSE_MS = 200;
const NO_LIMIT = 1_000_000_000;

/** A message, and what tells the broker that it is done with. Both do nothing once the message's channel has gone. */
export interface Delivery {
  readonly message: ConsumeMessage;
  readonly acknowledge: () => void;
  readonly requeue: () => void;
}

export interface QueueReaderOptions {
  readonly connection: Connection;
  readonly queue: string;
  /** Beside those of every reply queue: durable, quorum, without a limit of deliveries. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Deliveries that are not acknowledged yet. */
  readonly prefetch: number;
  readonly onDelivery: (delivery: Delivery) => void;
}

/** Keeps a reply queue declared and consumed, over as many channels and connections as that takes. */
export class QueueReader {
  readonly #options: QueueReaderOptions;
  readonly #closing = new AbortController();
  readonly #ready: Deferred<void> = deferred();
  readonly #kept: Promise<void>;
  #channel: Channel | undefined;
  #isReady = false;
  #deliveries = 0;
  #unacknowledged = 0;
  #lastError: string | undefined;

  /** Begins at once. */
  constructor(options: QueueReaderOptions) {
    this.#options = options;
    this.#kept = this.#keep();
  }

  /** Why the queue is not consumed; `undefined` if it is. */
  get lastError(): string | undefined {
    return this.#lastError;
  }

  /** Settles once the queue has been consumed for the first time: replies can be sent to it. @throws the signal's reason */
  ready(signal: AbortSignal): Promise<void> {
    return this.#isReady ? Promise.resolve() : abortable(this.#ready.promise, signal);
  }

  /** @param deletesQueue whether nothing will be sent to the queue any more */
  async close(deletesQueue = false): Promise<void> {
    if (deletesQueue) await this.#delete().catch(() => undefined);
    this.#closing.abort();
    await this.#kept;
  }

  async #delete(): Promise<void> {
    const channel = this.#channel;
    if (channel) await within(FIRST_TIMEOUT_MS, 'the deletion', channel.deleteQueue(this.#options.queue));
  }

  async #keep(): Promise<void> {
    const { signal } = this.#closing;
    let timeoutMs = FIRST_TIMEOUT_MS;
    while (!signal.aborted) {
      let channel: Channel | undefined;
      const watching = new AbortController();
      try {
        const model = await this.#options.connection.established(signal);
        channel = await within(timeoutMs, 'a channel', model.createChannel());
        const lost = lossOf(channel);
        await within(timeoutMs, 'the reply queue', Promise.race([this.#consume(channel), lost]));
        timeoutMs = FIRST_TIMEOUT_MS;
        this.#serve(channel);
        await abortable(Promise.race([lost, this.#passedOver(model, watching.signal)]), signal);
      } catch (error) {
        this.#lastError = reasonOf(error);
        timeoutMs = Math.min(2 * timeoutMs, LONGEST_TIMEOUT_MS);
      }
      watching.abort();
      this.#channel = undefined;
      if (channel) abandon(channel);
      await pause(PAUSE_MS, signal).catch(() => undefined);
    }
  }

  #serve(channel: Channel): void {
    this.#channel = channel;
    this.#lastError = undefined;
    this.#isReady = true;
    this.#ready.resolve();
  }

  async #consume(channel: Channel): Promise<void> {
    const { queue, prefetch, onDelivery, arguments: own } = this.#options;
    const { consumerCount } = await channel.assertQueue(queue, {
      durable: true,
      arguments: { 'x-queue-type': 'quorum', 'x-delivery-limit': NO_LIMIT, ...own },
    });
    if (!this.#isReady && consumerCount > 0) {
      throw new Error(`another process consumes ${queue}: give each instance a name of its own`);
    }
    await channel.prefetch(prefetch);
    this.#unacknowledged = 0;
    await channel.consume(queue, (message) => {
      if (!message) return void channel.emit('cancelled');
      this.#deliveries += 1;
      this.#unacknowledged += 1;
      onDelivery(this.#delivery(channel, message));
    });
  }

  #passedOver(model: ChannelModel, signal: AbortSignal): Promise<never> {
    const { queue, prefetch } = this.#options;
    const received = () => (this.#unacknowledged < prefetch ? this.#deliveries : undefined);
    return whenPassedOver(model, queue, received, signal);
  }

  #delivery(channel: Channel, message: ConsumeMessage): Delivery {
    const settle = (how: () => void): void => {
      try {
        how();
        this.#unacknowledged -= 1;
      } catch {
        // Its channel has closed; it is delivered again.
      }
    };
    return {
      message,
      acknowledge: () => settle(() => channel.ack(message)),
      requeue: () => settle(() => channel.nack(message)),
    };
  }
}

/** Rejects when a channel is closed, or its consumer cancelled. */
function lossOf(channel: Channel): Promise<never> {
  let reason = 'the channel was closed';
  channel.on('error', (error: Error) => (reason = error.message));
  const lost = new Promise<never>((_, reject) => {
    channel.on('close', () => reject(new Error(reason)));
    channel.on('cancelled', () => reject(new Error('the broker has cancelled the consumer')));
  });
  // Nothing may get to wait for it.
  lost.catch(() => undefined);
  return lost;
}
