import type { Channel, ChannelModel } from 'amqplib';

import { abandon, codeOf, LOCKED, within } from '../connection/questions.ts';
import type { ConfirmedPublisher } from '../publishing/confirmed-publisher.ts';
import { QueueWalk, type WalkOptions } from './walk-queue.ts';

const ANSWER_TIMEOUT_MS = 5_000;

/** A lock that one process holds at a time while it walks through a queue: an exclusive queue of a name. */
export class QueueLock {
  readonly #name: string;
  readonly #publisher: Pick<ConfirmedPublisher, 'publish'>;

  constructor(name: string, publisher: Pick<ConfirmedPublisher, 'publish'>) {
    this.#name = name;
    this.#publisher = publisher;
  }

  /** Asked by a publish that is returned if nobody holds the lock: the broker logs a declaration that it refuses. */
  async isTaken(): Promise<boolean> {
    const ping = {
      exchange: '',
      routingKey: this.#name,
      content: Buffer.alloc(0),
      mandatory: true,
      properties: { headers: {} },
    };
    return (await this.#publisher.publish(ping)) !== 'returned';
  }

  /**
   * Walks through a queue that keeps messages, unless somebody else does, and waits until what it leaves is back in its
   * place: the next walk would otherwise show it behind later messages.
   *
   * @param look goes through the walk to its end
   * @returns whether it had the lock
   * @throws Error if the broker refuses the lock for another reason than that it is held
   */
  async walk(
    connection: ChannelModel,
    queue: string,
    options: WalkOptions,
    look: (walk: QueueWalk) => Promise<void>,
  ): Promise<boolean> {
    if (await this.isTaken()) return false;
    const channel = await within(ANSWER_TIMEOUT_MS, 'a channel', connection.createChannel());
    channel.on('error', () => undefined);
    const answered = <T>(work: Promise<T>): Promise<T> => within(ANSWER_TIMEOUT_MS, 'the lock', work);
    try {
      if (!(await answered(takeLock(channel, this.#name)))) return false;
      // Has the lock go with this channel at the latest: the broker deletes the queue with its only consumer.
      await answered(channel.consume(this.#name, () => undefined));
      {
        await using walk = await QueueWalk.open(connection, queue, options);
        await look(walk);
      }
      await answered(channel.deleteQueue(this.#name)).catch(() => undefined);
      return true;
    } finally {
      abandon(channel);
    }
  }
}

/**
 * Declares the exclusive queue of a lock, which the broker removes with the connection, or with its last consumer.
 *
 * @returns whether the connection holds the lock; not if another one does, and then the channel is closed
 * @throws Error if the broker refuses it for another reason
 */
export async function takeLock(channel: Channel, name: string): Promise<boolean> {
  const args = { 'x-queue-type': 'classic' };
  try {
    await channel.assertQueue(name, { exclusive: true, durable: false, autoDelete: true, arguments: args });
    return true;
  } catch (error) {
    if (codeOf(error) === LOCKED) return false;
    throw error;
  }
}
