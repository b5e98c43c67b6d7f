import type { ChannelModel } from 'amqplib';

import { onChannel } from '../channel/channel.ts';
import { LOCKED, refusedWith } from '../channel/refusal.ts';
import type { ConfirmedPublisher } from '../publishing/confirmed-publisher.ts';
import type { Declaration } from '../topology/topology.ts';
import { walkQueue } from './walk-queue.ts';

const ANSWER_TIMEOUT_MS = 5_000;

/**
 * A lock that at most one connection holds. It is an exclusive queue, which the broker deletes with its
 * connection.
 */
export class QueueLock {
  readonly #lock: Declaration;
  readonly #publisher: Pick<ConfirmedPublisher, 'publish'>;
  /** The connection that may hold the lock, even if the broker answered the declaration too late. */
  #holder: ChannelModel | undefined;

  constructor(lock: Declaration, publisher: Pick<ConfirmedPublisher, 'publish'>) {
    this.#lock = lock;
    this.#publisher = publisher;
  }

  /**
   * Returns true if another connection holds the lock. It publishes to the queue, because a refused
   * declaration is logged as an error by the broker.
   */
  async isTaken(): Promise<boolean> {
    const ping = {
      exchange: '',
      routingKey: this.#lock.name,
      content: Buffer.alloc(0),
      mandatory: true,
      properties: { headers: {} },
    };
    return (await this.#publisher.publish(ping)) !== 'returned';
  }

  /**
   * Walks a queue unless another connection is walking it.
   *
   * @returns true if the connection got the lock and the walk is complete
   * @throws Error as the walk does, or if the broker refuses the lock although it is free
   */
  async walk(...[connection, ...walk]: Parameters<typeof walkQueue>): Promise<boolean> {
    if (this.#holder !== connection && (await this.isTaken())) return false;
    this.#holder = connection;
    // Declared even if this connection holds it, because a person may have deleted the queue.
    if (!(await takeLock(connection, this.#lock))) {
      this.#holder = undefined;
      return false;
    }
    try {
      await walkQueue(connection, ...walk);
      return true;
    } finally {
      const released = onChannel(connection, ANSWER_TIMEOUT_MS, 'the lock', (channel) =>
        channel.deleteQueue(this.#lock.name),
      );
      // If this fails, the lock ends with the connection or is released after the next walk.
      await released.then(() => (this.#holder = undefined)).catch(() => undefined);
    }
  }
}

/**
 * Takes a lock for the lifetime of a connection.
 *
 * @returns false if another connection holds it
 * @throws Error if the broker does not answer
 */
export function takeLock(connection: ChannelModel, lock: Declaration): Promise<boolean> {
  const options = { exclusive: true, durable: false, arguments: lock.arguments };
  const taken = onChannel(connection, ANSWER_TIMEOUT_MS, 'the lock', (channel) =>
    channel.assertQueue(lock.name, options),
  );
  return taken.then(() => true, refusedWith(LOCKED, false));
}
