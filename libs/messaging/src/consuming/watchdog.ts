import type { Channel, ChannelModel } from 'amqplib';

import type { QueueConsumer } from './queue-consumer.ts';

const INTERVAL_MS = 10_000;

/**
 * Finds consumers that have gone deaf: their queue holds messages, they have nothing in hand, and nothing came since
 * the last look. The broker's status of such a consumer says that all is well.
 */
export class Watchdog {
  readonly #consumers: readonly QueueConsumer[];
  readonly #onDeaf: (consumer: QueueConsumer) => void;
  /** Deliveries of each consumer at the last look. */
  readonly #seen = new Map<QueueConsumer, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(consumers: readonly QueueConsumer[], onDeaf: (consumer: QueueConsumer) => void) {
    this.#consumers = consumers;
    this.#onDeaf = onDeaf;
  }

  /** Watches over a connection until the next one, or until `stop`. */
  async watch(connection: ChannelModel): Promise<void> {
    this.stop();
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    this.#timer = setInterval(() => void this.#look(channel), INTERVAL_MS).unref();
    channel.on('close', () => this.stop());
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#seen.clear();
  }

  async #look(channel: Channel): Promise<void> {
    for (const consumer of this.#consumers) {
      const before = this.#seen.get(consumer);
      this.#seen.set(consumer, consumer.deliveries);
      const isIdle =
        consumer.state === 'consuming' && consumer.inHand === 0 && consumer.deliveries === before;
      if (isIdle && (await hasMessages(channel, consumer.queue)) && consumer.deliveries === before) {
        this.#onDeaf(consumer);
      }
    }
  }
}

async function hasMessages(channel: Channel, queue: string): Promise<boolean> {
  try {
    return (await channel.checkQueue(queue)).messageCount > 0;
  } catch {
    // The queue or the channel has gone, which their own events tell.
    return false;
  }
}
