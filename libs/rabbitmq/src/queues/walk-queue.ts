import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';

import { closeInTime, countsOf, openChannel } from '../channel/channel.ts';
import { pause, within } from '../channel/time-limit.ts';
import { limitBodies } from '../amqplib/limit-bodies.ts';

// A quorum queue takes back what a closed channel held consumer by consumer: sorted by their tags, as text, up to 32 of them,
// in any order beyond; a `get` counts as one, too. A tag that is used again is the same consumer, and gets as many messages as
// its prefetch is above those that it holds.

const MAX_CONSUMERS = 32;
/** A prefetch has 16 bits. */
const MAX_HELD = 65_535;
/**
 * Messages that are asked for at once: one at first, then as many as take so many bytes, but no more than the event loop
 * handles in some 10 ms, since a worker has commands in flight meanwhile.
 */
const LARGEST_WINDOW = 100;
const WINDOW_BYTES = 2 * 1024 * 1024;
/** Memory is given back while nothing is read: 240 MiB without a pause took 150 MiB more, and with it 70. */
const PAUSE_MS_PER_BYTE = 4 / (1024 * 1024);
/** Then the broker is asked whether more are on their way: another consumer may have taken them, or they have expired. */
const IDLE_MS = 2_000;
const SETTLE_TIMEOUT_MS = 5_000;
/** A second, for messages of a closed channel to be back in their places, and for those that somebody else holds for a look. */
const LOOKS = 20;
const LOOK_PAUSE_MS = 50;

export interface WalkOptions {
  /** How long the broker may be silent: RabbitMQ 4 needs seven seconds to deliver 100 kB of lists in lists. */
  readonly silenceMs: number;
  /** Only the beginning of a longer body is shown. Default: all of it is. */
  readonly maxBodyBytes?: number;
}

export interface WalkedMessage {
  readonly message: ConsumeMessage;
  /** Takes it from the queue. Throws if the channel is closed. */
  readonly acknowledge: () => void;
}

/**
 * Shows every message that lies in a quorum queue, oldest first, some at a time, on a channel of its own. One that is not
 * acknowledged is back in its place afterwards if `look` has come to the end; else it is behind those that were still to be
 * shown, as it would be after a nack.
 *
 * @throws Error as `look` does; also within it if the broker is silent for too long, or the channel closes
 */
export async function walkQueue(
  connection: ChannelModel,
  queue: string,
  options: WalkOptions,
  look: (messages: AsyncIterable<WalkedMessage>) => Promise<void>,
): Promise<void> {
  const channel = await openChannel(connection, options.silenceMs);
  const walk = new QueueWalk(channel, queue, options);
  try {
    await look(walk.messages());
  } finally {
    await walk.close();
    // The broker closes a channel before it takes back what that held. If there was nothing, somebody else may hold all.
    const expected = walk.acknowledged > 0 ? walk.left : Math.max(walk.left, 1);
    for (let depth = 0, looks = 0; depth < expected && looks < LOOKS; looks += 1) {
      await pause(LOOK_PAUSE_MS);
      depth = (await countsOf(connection, queue).catch(() => undefined))?.messageCount ?? expected;
    }
  }
}

class QueueWalk {
  /** What was taken and not acknowledged. */
  left = 0;
  acknowledged = 0;
  readonly #channel: Channel;
  readonly #queue: string;
  readonly #silenceMs: number;
  readonly #bodyBytes: () => number;
  /** The one in use, with how much it has taken that nobody has acknowledged. */
  #consumer = { tag: '', held: 0 };
  /** What is acknowledged while messages are taken: what that let come would meet no consumer, and go to the end of the queue. */
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
        // What was shown is not kept, since it may be large.
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
      await within(SETTLE_TIMEOUT_MS, 'the end of a look', this.#settled()).catch(() => undefined);
    await closeInTime(this.#channel);
  }

  /**
   * Settles once the queue has applied what was acknowledged: beyond 32 acknowledgements that it has not, the channel keeps
   * them, and drops them when it closes. A queue answers a cancellation after all that it was sent before.
   */
  async #settled(): Promise<void> {
    const { tag, held } = this.#consumer;
    await this.#channel.prefetch(Math.max(1, held));
    await this.#channel.consume(this.#queue, () => undefined, { consumerTag: tag });
    await this.#channel.cancel(tag);
  }

  /** Takes so many messages, or as many as there are, and the bytes of their bodies. */
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
        // Answered once all is sent that came before it.
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
    return within(this.#silenceMs, 'a look at a queue', work);
  }
}
