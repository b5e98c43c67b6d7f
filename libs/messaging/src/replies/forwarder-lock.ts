import type { ChannelModel } from 'amqplib';

import { abandon } from '../connection/close-within.ts';
import { within } from '../connection/within.ts';
import type { ConfirmedPublisher } from '../publishing/confirmed-publisher.ts';

const ANSWER_TIMEOUT_MS = 3_000;

/**
 * Lets one worker at a time forward parked replies: whoever has an exclusive queue of this name, until its connection
 * goes. The queue holds nothing.
 */
export class ForwarderLock {
  readonly #name: string;
  readonly #publisher: ConfirmedPublisher;
  #holder: ChannelModel | undefined;

  constructor(name: string, publisher: ConfirmedPublisher) {
    this.#name = name;
    this.#publisher = publisher;
  }

  /** Whether the connection holds the lock, which it takes if nobody does. */
  async isHeldBy(connection: ChannelModel): Promise<boolean> {
    if (this.#holder !== connection && (await this.#isTaken())) return false;
    this.#holder = undefined;
    const channel = await within(ANSWER_TIMEOUT_MS, 'a channel', connection.createChannel());
    channel.on('error', () => undefined);
    try {
      // Also if it is held already: somebody may have deleted the queue.
      const declared = channel.assertQueue(this.#name, {
        exclusive: true,
        durable: false,
        arguments: { 'x-queue-type': 'classic', 'x-max-length': 0 },
      });
      await within(ANSWER_TIMEOUT_MS, 'the lock', declared);
      this.#holder = connection;
      return true;
    } catch {
      return false;
    } finally {
      abandon(channel);
    }
  }

  /** Asked by a publish that is returned if there is no such queue: the broker logs a declaration that it refuses. */
  async #isTaken(): Promise<boolean> {
    const ping = {
      exchange: '',
      routingKey: this.#name,
      content: Buffer.alloc(0),
      mandatory: true,
      properties: { headers: {} },
    };
    return (await this.#publisher.publish(ping, () => true)) !== 'returned';
  }
}
