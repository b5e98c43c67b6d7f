import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';

import { closeWithin } from '../connection/close-within.ts';
import { Delivery } from './delivery.ts';

const CLOSE_TIMEOUT_MS = 2_000;

export type ConsumerState = 'waiting for the broker' | 'consuming' | 'draining' | 'stopped';

export interface QueueConsumerOptions {
  readonly queue: string;
  /** The most commands in hand. */
  readonly prefetch: number;
  /** Settles the delivery in the end; never rejects. */
  readonly handle: (delivery: Delivery) => Promise<void>;
  /** The broker cancelled the consumer or closed its channel while the connection stands. */
  readonly onLost: (reason: string) => void;
}

interface Serving {
  readonly channel: Channel;
  consumerTag?: string;
}

/** Takes the messages of one queue, a bounded number at a time, on a channel of its own. */
export class QueueConsumer {
  readonly #options: QueueConsumerOptions;
  readonly #inHand = new Set<Delivery>();
  #serving: Serving | undefined;
  #state: ConsumerState = 'waiting for the broker';
  #onEmpty: (() => void) | undefined;

  constructor(options: QueueConsumerOptions) {
    this.#options = options;
  }

  get queue(): string {
    return this.#options.queue;
  }

  get state(): ConsumerState {
    return this.#state;
  }

  get inHand(): number {
    return this.#inHand.size;
  }

  /** Begins to consume over a fresh connection; the one before is gone. */
  async attach(connection: ChannelModel): Promise<void> {
    if (this.#state === 'draining' || this.#state === 'stopped') return;
    const { queue, prefetch } = this.#options;
    const channel = await connection.createChannel();
    let reason = 'the channel was closed';
    channel.on('error', (error) => (reason = error.message));
    channel.on('close', () => this.#lose(channel, reason));
    const serving: Serving = { channel };
    this.#serving = serving;
    await channel.prefetch(prefetch);
    const { consumerTag } = await channel.consume(queue, (message) => {
      if (message) this.#take(channel, message);
      else void this.#cancelled(channel);
    });
    serving.consumerTag = consumerTag;
    this.#state = 'consuming';
  }

  /** Takes nothing more, waits for what is in hand at most `graceMs`, and returns the rest to the queue. */
  async drain(graceMs: number): Promise<void> {
    const serving = this.#serving;
    this.#state = 'draining';
    if (serving?.consumerTag) await within(CLOSE_TIMEOUT_MS, serving.channel.cancel(serving.consumerTag));
    if (this.#inHand.size > 0) {
      await within(graceMs, new Promise<void>((resolve) => (this.#onEmpty = resolve)));
    }
    this.#state = 'stopped';
    // Closing returns what was not acknowledged, and makes sure that the last acknowledgements were sent.
    if (serving) await closeWithin(CLOSE_TIMEOUT_MS, serving.channel);
  }

  #take(channel: Channel, message: ConsumeMessage): void {
    // Sent before the broker heard of the cancellation: it returns to the queue when the channel closes.
    if (this.#state === 'draining' || this.#state === 'stopped') return;
    const delivery = new Delivery(message, this.#options.queue, channel);
    this.#inHand.add(delivery);
    void this.#options.handle(delivery).finally(() => {
      this.#inHand.delete(delivery);
      if (this.#inHand.size === 0) this.#onEmpty?.();
    });
  }

  async #cancelled(channel: Channel): Promise<void> {
    this.#lose(channel, 'the broker cancelled the consumer; its queue was deleted or moved');
    await closeWithin(CLOSE_TIMEOUT_MS, channel);
  }

  #lose(channel: Channel, reason: string): void {
    if (this.#serving?.channel !== channel) return;
    this.#serving = undefined;
    for (const delivery of this.#inHand) delivery.lose();
    if (this.#state !== 'consuming') return;
    this.#state = 'waiting for the broker';
    this.#options.onLost(reason);
  }
}

async function within(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, timeoutMs)));
  await Promise.race([work.catch(() => undefined), timeout]);
  clearTimeout(timer);
}
