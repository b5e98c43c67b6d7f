import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';

import { closeInTime, countsOf, pause, within } from '../connection/questions.ts';
import { limitBodies } from '../connection/bound-messages.ts';

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
const WINDOW_BYTES = 4 * 1024 * 1024;
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

interface Consumer {
  readonly tag: string;
  /** What it has taken and not acknowledged. */
  held: number;
  /** Messages that the broker sends in this window. */
  wanted: number;
  /** What is acknowledged while it is being cancelled. */
  deferred: ConsumeMessage[] | undefined;
}

/**
 * Shows every message that lies in a quorum queue, oldest first, some at a time, on a channel of its own. One that is not
 * acknowledged is back in its place afterwards if the walk has come to its end; closed before, it is behind those that the
 * walk had still to show, as it would be after a nack.
 */
export class QueueWalk implements AsyncDisposable {
  readonly #connection: ChannelModel;
  readonly #channel: Channel;
  readonly #queue: string;
  readonly #silenceMs: number;
  readonly #bodyBytes: () => number;
  #consumer: Consumer | undefined;
  #shown = 0;
  #acknowledged = 0;

  private constructor(connection: ChannelModel, channel: Channel, queue: string, options: WalkOptions) {
    this.#connection = connection;
    this.#channel = channel;
    this.#queue = queue;
    this.#silenceMs = options.silenceMs;
    this.#bodyBytes = limitBodies(channel, options.maxBodyBytes ?? Number.POSITIVE_INFINITY);
  }

  /** @throws Error if the broker is silent for too long */
  static async open(connection: ChannelModel, queue: string, options: WalkOptions): Promise<QueueWalk> {
    const channel = await within(options.silenceMs, 'a channel', connection.createChannel());
    channel.on('error', () => undefined);
    return new QueueWalk(connection, channel, queue, options);
  }

  /** @throws Error if the broker is silent for too long, or the channel closes */
  async *messages(): AsyncGenerator<WalkedMessage, void> {
    let { messageCount: left } = await this.#answered(this.#channel.checkQueue(this.#queue));
    let messages = 1;
    for (let n = 0; left > 0 && n < MAX_CONSUMERS; n += 1) {
      const tag = `walk-${String(n).padStart(2, '0')}`;
      const consumer: Consumer = { tag, held: 0, wanted: 0, deferred: undefined };
      this.#consumer = consumer;
      for (let room = MAX_HELD; left > 0 && room > 0; room = MAX_HELD - consumer.held) {
        const { count, bytes } = yield* this.#take(consumer, Math.min(messages, room), left);
        if (count === 0) return;
        left -= count;
        const most = Math.min(2 * messages, LARGEST_WINDOW, Math.floor((WINDOW_BYTES * count) / (bytes + 1)));
        messages = Math.max(1, most);
        await pause(PAUSE_MS_PER_BYTE * bytes);
      }
    }
  }

  /**
   * Waits for a second at most until what the walk has left is back in its place: the broker closes a channel before it takes
   * back what the channel held. Never rejects.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#acknowledged > 0)
      await within(SETTLE_TIMEOUT_MS, 'the end of a look', this.#settled()).catch(() => undefined);
    await closeInTime(this.#channel);
    // Also if nothing was shown: somebody else may hold all of them.
    const expected = Math.max(this.#shown, 1) - this.#acknowledged;
    for (let depth = 0, looks = 0; depth < expected && looks < LOOKS; looks += 1) {
      await pause(LOOK_PAUSE_MS);
      const counts = await countsOf(this.#connection, this.#queue).catch(() => undefined);
      depth = counts?.messageCount ?? expected;
    }
  }

  /**
   * Settles once the queue has applied what was acknowledged: beyond 32 acknowledgements that it has not, the channel keeps
   * them, and drops them when it closes. A queue answers a cancellation after all that it was sent before.
   */
  async #settled(): Promise<void> {
    const { tag = '', held = 0 } = this.#consumer ?? {};
    await this.#channel.prefetch(Math.max(1, held));
    await this.#channel.consume(this.#queue, () => undefined, { consumerTag: tag });
    await this.#channel.cancel(tag);
  }

  /**
   * @param messages how many the broker sends; one more for each that is acknowledged meanwhile
   * @param left how many are in the queue
   * @returns how many came, and the bytes of their bodies
   */
  async *#take(
    consumer: Consumer,
    messages: number,
    left: number,
  ): AsyncGenerator<WalkedMessage, { count: number; bytes: number }> {
    const channel = this.#channel;
    const arrived: ConsumeMessage[] = [];
    const taken = { count: 0, bytes: 0 };
    let woken = new AbortController();
    const onMessage = (message: ConsumeMessage | null): void => {
      if (message) {
        arrived.push(message);
        taken.count += 1;
        taken.bytes += this.#bodyBytes();
      }
      woken.abort();
    };
    const prefetch = consumer.held + messages;
    consumer.wanted = messages;
    await this.#answered(channel.prefetch(prefetch));
    await this.#answered(channel.consume(this.#queue, onMessage, { consumerTag: consumer.tag }));
    for (let seen = 0; seen < Math.min(consumer.wanted, left);) {
      if (taken.count === seen) {
        woken = new AbortController();
        await pause(IDLE_MS, woken.signal);
      }
      // Answered once all is sent that came before it.
      if (taken.count === seen) await this.#answered(channel.prefetch(prefetch));
      if (taken.count === seen) break;
      seen = taken.count;
      for (const message of arrived.splice(0)) yield this.#show(message, consumer);
    }
    // What an acknowledgement let come would meet no consumer any more, and go to the end of the queue.
    consumer.deferred = [];
    try {
      await this.#answered(channel.cancel(consumer.tag));
    } finally {
      for (const message of consumer.deferred) channel.ack(message);
      consumer.deferred = undefined;
    }
    for (const message of arrived) yield this.#show(message, consumer);
    return taken;
  }

  #show(message: ConsumeMessage, consumer: Consumer): WalkedMessage {
    this.#shown += 1;
    consumer.held += 1;
    const acknowledge = (): void => {
      if (consumer.deferred) consumer.deferred.push(message);
      else this.#channel.ack(message);
      this.#acknowledged += 1;
      consumer.held -= 1;
      consumer.wanted += 1;
    };
    return { message, acknowledge };
  }

  #answered<T>(work: Promise<T>): Promise<T> {
    return within(this.#silenceMs, 'a look at a queue', work);
  }
}
