import type { ChannelModel } from 'amqplib';

import { closeWithin } from '../connection/close-within.ts';
import type { QueueConsumer } from './queue-consumer.ts';

const INTERVAL_MS = 5_000;
const CLOSE_TIMEOUT_MS = 2_000;

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
  watch(connection: ChannelModel): void {
    this.stop();
    this.#timer = setInterval(() => void this.#look(connection), INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#seen.clear();
  }

  async #look(connection: ChannelModel): Promise<void> {
    for (const consumer of this.#consumers) {
      const before = this.#seen.get(consumer);
      this.#seen.set(consumer, consumer.deliveries);
      const isIdle = (): boolean =>
        consumer.state === 'consuming' && consumer.inHand === 0 && consumer.deliveries === before;
      if (isIdle() && (await hasMessages(connection, consumer.queue)) && isIdle()) this.#onDeaf(consumer);
    }
  }
}

/** Asks on a channel of its own: the question closes it where the queue has gone. */
async function hasMessages(connection: ChannelModel, queue: string): Promise<boolean> {
  try {
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    const { messageCount } = await channel.checkQueue(queue);
    await closeWithin(CLOSE_TIMEOUT_MS, channel);
    return messageCount > 0;
  } catch {
    // The queue or the connection has gone, which their own events tell.
    return false;
  }
}
