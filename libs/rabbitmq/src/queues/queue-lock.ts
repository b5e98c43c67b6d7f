import type { ChannelModel } from 'amqplib';

import { onChannel } from '../channel/channel.ts';
import { LOCKED, refusedWith } from '../channel/refusal.ts';
import type { ConfirmedPublisher } from '../publishing/confirmed-publisher.ts';
import type { Declaration } from '../topology/topology.ts';
import { walkQueue } from './walk-queue.ts';

const ANSWER_TIMEOUT_MS = 5_000;

/** A lock that one connection holds at a time: an exclusive queue, which goes with the connection. */
export class QueueLock {
  readonly #lock: Declaration;
  readonly #publisher: Pick<ConfirmedPublisher, 'publish'>;
  /** The connection that may hold the lock: a broker that answers too late declares its queue all the same. */
  #holder: ChannelModel | undefined;

  constructor(lock: Declaration, publisher: Pick<ConfirmedPublisher, 'publish'>) {
    this.#lock = lock;
    this.#publisher = publisher;
  }

  /** Publishes to the lock, which is returned if nobody holds it: a refused declaration would be an error in the broker's log. */
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
   * Walks through a queue that keeps messages, unless another connection does.
   *
   * @returns whether the connection had the lock
   * @throws Error as the walk does, or if the broker refuses the lock for another reason than that it is held
   */
  async walk(...[connection, ...walk]: Parameters<typeof walkQueue>): Promise<boolean> {
    if (this.#holder !== connection && (await this.isTaken())) return false;
    this.#holder = connection;
    // Also if it is held already: somebody may have deleted the queue.
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
      // Else it is gone with the connection, or released the next time.
      await released.then(() => (this.#holder = undefined)).catch(() => undefined);
    }
  }
}

/** Takes a lock for as long as the connection lives, unless another one has it. @throws Error if the broker does not say */
export function takeLock(connection: ChannelModel, lock: Declaration): Promise<boolean> {
  const options = { exclusive: true, durable: false, arguments: lock.arguments };
  const taken = onChannel(connection, ANSWER_TIMEOUT_MS, 'the lock', (channel) =>
    channel.assertQueue(lock.name, options),
  );
  return taken.then(() => true, refusedWith(LOCKED, false));
}
