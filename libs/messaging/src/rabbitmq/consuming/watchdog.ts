import type { ChannelModel } from 'amqplib';

import { depthOf } from '../connection/depth-of.ts';
import type { QueueConsumer } from './queue-consumer.ts';

const INTERVAL_MS = 1_000;
/** Between two looks at the queue of a consumer that may be deaf: a busy broker takes a while to deliver. */
const SECOND_LOOK_MS = 500;

/**
 * Finds consumers that have gone deaf: their queue holds messages, they have nothing in flight, and nothing comes. The
 * broker's status of such a consumer says that all is well.
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
    this.#timer = setInterval(() => {
      for (const consumer of this.#consumers) void this.#look(connection, consumer);
    }, INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#seen.clear();
  }

  async #look(connection: ChannelModel, consumer: QueueConsumer): Promise<void> {
    const before = this.#seen.get(consumer);
    this.#seen.set(consumer, consumer.deliveries);
    const isIdle = (): boolean =>
      consumer.state === 'consuming' && consumer.inFlight === 0 && consumer.deliveries === before;
    const isLeftOut = async (): Promise<boolean> =>
      isIdle() && (await hasMessages(connection, consumer.queue)) && isIdle();
    if (!(await isLeftOut())) return;
    await new Promise((resolve) => setTimeout(resolve, SECOND_LOOK_MS).unref());
    if (await isLeftOut()) this.#onDeaf(consumer);
  }
}

async function hasMessages(connection: ChannelModel, queue: string): Promise<boolean> {
  // If the queue or the connection has gone, their own events tell.
  return (await depthOf(connection, queue).catch(() => 0)) > 0;
}
