import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';

import { closeInTime, countsOf, openChannel } from '../channel/channel.ts';
import { pause, within } from '../channel/time-limit.ts';
import { limitBodies } from '../amqplib/limit-bodies.ts';

// When a channel closes, a quorum queue requeues its messages consumer by consumer: up to 32 consumers sorted
// by their tags as text, more in no particular order. A `get` counts as a consumer. A reused tag is the same
// consumer, and receives as many messages as its prefetch exceeds the number it holds.

const MAX_CONSUMERS = 32;
/** A prefetch has 16 bits. */
const MAX_HELD = 65_535;
/**
 * The most messages requested at once. The first request is for one message; later ones are for as many as
 * fit into `WINDOW_BYTES`, but no more than the event loop handles in about 10 ms, because a worker has
 * commands in flight.
 */
const LARGEST_WINDOW = 100;
const WINDOW_BYTES = 2 * 1024 * 1024;
/**
 * Memory is reclaimed while nothing is read: walking 240 MiB takes 150 MiB without a pause and 70 MiB with
 * it.
 */
const PAUSE_MS_PER_BYTE = 4 / (1024 * 1024);
/**
 * After this time without a message, ask whether more will arrive: another consumer may have taken them, or
 * they have expired.
 */
const IDLE_MS = 2_000;
const SETTLE_TIMEOUT_MS = 5_000;
/**
 * Polls for one second until the messages of the closed channel and of another walk are back in the queue.
 */
const MAX_POLLS = 20;
const POLL_INTERVAL_MS = 50;

export interface WalkOptions {
  /**
   * How long the broker may be silent. RabbitMQ 4 needs seven seconds to deliver headers of 100 kB of nested
   * lists.
   */
  readonly silenceMs: number;
  /** Longer bodies are truncated. Default: no limit. */
  readonly maxBodyBytes?: number;
}

export interface WalkedMessage {
  readonly message: ConsumeMessage;
  /** Removes the message from the queue. Throws if the channel is closed. */
  readonly acknowledge: () => void;
}

/**
 * Walks all messages of a quorum queue in order, in batches, on a channel of its own. If `visit` reads to the
 * end, unacknowledged messages return to their places. Otherwise they are requeued behind the messages not
 * yet read, as after a nack.
 *
 * @throws Error as `visit` does, also from its iterator if the broker is silent for too long or the channel
 *   closes
 */
export async function walkQueue(
  connection: ChannelModel,
  queue: string,
  options: WalkOptions,
  visit: (messages: AsyncIterable<WalkedMessage>) => Promise<void>,
): Promise<void> {
  const channel = await openChannel(connection, options.silenceMs);
  const walk = new QueueWalk(channel, queue, options);
  try {
    await visit(walk.messages());
  } finally {
    await walk.close();
    // The broker closes a channel before it requeues its messages. If there were none, another walk may hold
    // them all.
    const expected = walk.acknowledged > 0 ? walk.left : Math.max(walk.left, 1);
    for (let depth = 0, polls = 0; depth < expected && polls < MAX_POLLS; polls += 1) {
      await pause(POLL_INTERVAL_MS);
      depth = (await countsOf(connection, queue).catch(() => undefined))?.messageCount ?? expected;
    }
  }
}

class QueueWalk {
  /** The number of messages received and not acknowledged. */
  left = 0;
  acknowledged = 0;
  readonly #channel: Channel;
  readonly #queue: string;
  readonly #silenceMs: number;
  readonly #bodyBytes: () => number;
  /** The consumer in use, with its number of unacknowledged messages. */
  #consumer = { tag: '', held: 0 };
  /**
   * Acknowledgements deferred while a batch is received: a message that they release would find no consumer
   * and move to the end of the queue.
   */
  #deferred: ConsumeMessage[] | undefined;

  constructor(channel: Channel, queue: string, { silenceMs, maxBodyBytes = Infinity }: WalkOptions) {
    this.#channel = channel;
    this.#queue = queue;
    this.#silenceMs = silenceMs;
    this.#bodyBytes = limitBodies(channel, maxBodyBytes);
  }

  async *messages(): AsyncGenerator<WalkedMessage, void> {
    let { messageCount: left } = await this.#answered(this.#channel.checkQueue(this.#queue));
    let messages = 1;
    for (let n = 0; left > 0 && n < MAX_CONSUMERS; n += 1) {
      this.#consumer = { tag: `walk-${String(n).padStart(2, '0')}`, held: 0 };
      for (let room = MAX_HELD; left > 0 && room > 0; room = MAX_HELD - this.#consumer.held) {
        const { taken, bytes } = await this.#take(Math.min(messages, left, room));
        const count = taken.length;
        if (count === 0) return;
        // Shifted, so that visited messages, which may be large, are freed.
        for (let message = taken.shift(); message; message = taken.shift()) yield this.#show(message);
        left -= count;
        const most = Math.min(2 * messages, LARGEST_WINDOW, Math.floor((WINDOW_BYTES * count) / (bytes + 1)));
        messages = Math.max(1, most);
        await pause(PAUSE_MS_PER_BYTE * bytes);
      }
    }
  }

  /** Never rejects. */
  async close(): Promise<void> {
    if (this.acknowledged > 0)
      await within(SETTLE_TIMEOUT_MS, 'the end of a walk', this.#settled()).catch(() => undefined);
    await closeInTime(this.#channel);
  }

  /**
   * Settles when the queue has applied all acknowledgements. With more than 32 unapplied, the channel
   * withholds the rest and drops them when it closes. The queue answers a cancellation after all earlier
   * requests.
   */
  async #settled(): Promise<void> {
    const { tag, held } = this.#consumer;
    await this.#channel.prefetch(Math.max(1, held));
    await this.#channel.consume(this.#queue, () => undefined, { consumerTag: tag });
    await this.#channel.cancel(tag);
  }

  /**
   * Receives up to `messages` messages, or all that there are.
   *
   * @returns them, and the total length of their bodies
   */
  async #take(messages: number) {
    const channel = this.#channel;
    const consumer = this.#consumer;
    const taken: ConsumeMessage[] = [];
    let bytes = 0;
    const ended = new AbortController();
    const onMessage = (message: ConsumeMessage | null): void => {
      if (message) bytes += this.#bodyBytes();
      if (message) taken.push(message);
      if (!message || taken.length === messages) ended.abort();
    };
    const prefetch = consumer.held + messages;
    const deferred = (this.#deferred = [] as ConsumeMessage[]);
    try {
      await this.#answered(channel.prefetch(prefetch));
      await this.#answered(channel.consume(this.#queue, onMessage, { consumerTag: consumer.tag }));
      for (let seen = -1; seen < taken.length && taken.length < messages;) {
        seen = taken.length;
        await pause(IDLE_MS, ended.signal);
        // The broker answers this after everything it sent earlier.
        if (taken.length === seen) await this.#answered(channel.prefetch(prefetch));
      }
      await this.#answered(channel.cancel(consumer.tag));
    } finally {
      this.#deferred = undefined;
      for (const message of deferred) channel.ack(message);
    }
    consumer.held += taken.length;
    this.left += taken.length;
    return { taken, bytes };
  }

  #show(message: ConsumeMessage): WalkedMessage {
    const consumer = this.#consumer;
    const acknowledge = (): void => {
      if (this.#deferred) this.#deferred.push(message);
      else this.#channel.ack(message);
      this.acknowledged += 1;
      this.left -= 1;
      consumer.held -= 1;
    };
    return { message, acknowledge };
  }

  #answered<T>(work: Promise<T>): Promise<T> {
    return within(this.#silenceMs, 'a walk of a queue', work);
  }
}
