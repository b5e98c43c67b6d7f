import type { Channel, ConsumeMessage } from 'amqplib';

import { pause, within } from '../connection/within.ts';
import { limitBodies } from '../consuming/limit-bodies.ts';

// A quorum queue takes back what a closed channel held consumer by consumer: sorted by their tags, as text, up to 32 of them,
// in any order beyond; a `get` counts as one, too. A tag that is used again is the same consumer, and gets as many messages as
// its prefetch is above those that it holds.

const MAX_CONSUMERS = 32;
/** A prefetch has 16 bits. */
const MAX_HELD = 65_535;
/** Messages that are asked for at once: one at first, then as many as take so many bytes. */
const FIRST_WINDOW = 1;
const WINDOW_BYTES = 4 * 1024 * 1024;
/** Memory is given back while nothing is read: 240 MiB without a pause took 150 MiB more, and with it 70. */
const PAUSE_MS_PER_BYTE = 4 / (1024 * 1024);
/** Then the broker is asked whether more are on their way: another consumer may have taken them, or they have expired. */
const IDLE_MS = 2_000;

export interface WalkOptions {
  /** How long the broker may be silent: RabbitMQ 4 needs seven seconds to deliver 100 kB of lists in lists. */
  readonly silenceMs: number;
  /** Of a longer body, only the beginning is shown. Default: all of it is. */
  readonly maxBodyBytes?: number;
}

/** A message that the walk has come to. */
export interface WalkedMessage {
  readonly message: ConsumeMessage;
  /** Takes it from the queue. Throws if the channel is closed. */
  readonly acknowledge: () => void;
}

/**
 * Shows every message that lies in a quorum queue, oldest first, some MiB at a time. One that is not acknowledged is
 * back in its place when the channel is closed after the walk has come to its end; closed before, it is behind those that the
 * walk had still to show, as it would be after a nack.
 *
 * @param channel used for nothing else
 * @throws Error if the broker is silent for too long, or the channel closes
 */
export async function* walkQueue(
  channel: Channel,
  queue: string,
  { silenceMs, maxBodyBytes = Infinity }: WalkOptions,
): AsyncGenerator<WalkedMessage, void> {
  const answered = <T>(work: Promise<T>): Promise<T> => within(silenceMs, 'a look at a queue', work);
  const bodyBytes = limitBodies(channel, maxBodyBytes);
  let { messageCount: left } = await answered(channel.checkQueue(queue));
  let messages = FIRST_WINDOW;
  for (let n = 0; left > 0 && n < MAX_CONSUMERS; n += 1) {
    const consumer = new Consumer(channel, queue, `walk-${String(n).padStart(2, '0')}`, answered, bodyBytes);
    for (let room = MAX_HELD; left > 0 && room > 0; room = MAX_HELD - consumer.held) {
      yield* consumer.take(Math.min(messages, room), left);
      const { count, bytes } = consumer;
      if (count === 0) return;
      left -= count;
      messages = Math.max(1, Math.min(2 * messages, Math.floor((WINDOW_BYTES * count) / (bytes + 1))));
      await pause(PAUSE_MS_PER_BYTE * bytes);
    }
  }
}

/** Takes messages of the queue, window by window. */
class Consumer {
  /** What it has taken and not acknowledged. */
  held = 0;
  /** Of the last window. */
  count = 0;
  bytes = 0;
  readonly #channel: Channel;
  readonly #queue: string;
  readonly #tag: string;
  readonly #answered: <T>(work: Promise<T>) => Promise<T>;
  readonly #bodyBytes: () => number;
  #wanted = 0;
  #isEnding = false;
  readonly #deferred: (() => void)[] = [];

  constructor(
    channel: Channel,
    queue: string,
    tag: string,
    answered: <T>(work: Promise<T>) => Promise<T>,
    bodyBytes: () => number,
  ) {
    this.#channel = channel;
    this.#queue = queue;
    this.#tag = tag;
    this.#answered = answered;
    this.#bodyBytes = bodyBytes;
  }

  /**
   * Shows messages as they arrive, and keeps none.
   *
   * @param messages how many the broker sends; one more for each that is acknowledged meanwhile
   * @param left how many are in the queue
   */
  async *take(messages: number, left: number): AsyncGenerator<WalkedMessage, void> {
    const channel = this.#channel;
    const arrived: ConsumeMessage[] = [];
    let wake = (): void => undefined;
    const onMessage = (message: ConsumeMessage | null): void => {
      if (message) {
        arrived.push(message);
        this.count += 1;
        this.bytes += this.#bodyBytes();
      }
      wake();
    };
    const prefetch = this.held + messages;
    [this.count, this.bytes, this.#wanted] = [0, 0, messages];
    await this.#answered(channel.prefetch(prefetch));
    await this.#answered(channel.consume(this.#queue, onMessage, { consumerTag: this.#tag }));
    for (let seen = 0; seen < Math.min(this.#wanted, left);) {
      if (this.count === seen) {
        const woken = new AbortController();
        wake = () => woken.abort();
        await pause(IDLE_MS, woken.signal);
      }
      // Answered once all is sent that came before it.
      if (this.count === seen) await this.#answered(channel.prefetch(prefetch));
      if (this.count === seen) break;
      seen = this.count;
      for (const message of arrived.splice(0)) yield this.#shown(message);
    }
    // What an acknowledgement let come would meet no consumer any more, and go to the end of the queue.
    this.#isEnding = true;
    await this.#answered(channel.cancel(this.#tag));
    this.#isEnding = false;
    for (const acknowledge of this.#deferred.splice(0)) acknowledge();
    for (const message of arrived) yield this.#shown(message);
  }

  #shown(message: ConsumeMessage): WalkedMessage {
    this.held += 1;
    const acknowledge = (): void => {
      if (this.#isEnding) {
        this.#deferred.push(acknowledge);
        return;
      }
      this.#channel.ack(message);
      this.held -= 1;
      this.#wanted += 1;
    };
    return { message, acknowledge };
  }
}
