// With `connection/cork-writes.ts`, system calls for writing went from 26 % to 15 % of the time of a worker
// (docs/decisions/0008). `channel.ack` and `channel.nack` would do.

import type { Channel, ConsumeMessage } from 'amqplib';

import type { Acknowledger } from './delivery.ts';

/**
 * The acknowledgements of one channel, those of the confirms that were read at once together: what is finished without a
 * gap goes in one frame, the rest singly.
 *
 * Delivery tags count up from 1, so the lowest one that is not settled is known without a list of what is in flight.
 */
export class Acknowledgements implements Acknowledger {
  readonly #channel: Channel;
  /** Every tag below it is settled. */
  #lowest = 1;
  /** Settled, the broker knows, and some lower tag is not. */
  readonly #ahead = new Set<number>();
  /** Settled just now; the broker does not know yet. */
  #gathered: number[] = [];

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  acknowledge(message: ConsumeMessage): void {
    if (this.#gathered.length === 0) process.nextTick(() => this.flush());
    this.#gathered.push(message.fields.deliveryTag);
  }

  requeue(message: ConsumeMessage): void {
    this.#ahead.add(message.fields.deliveryTag);
    this.#whileOpen(() => this.#channel.nack(message, false, true));
  }

  flush(): void {
    const tags = this.#gathered.sort((a, b) => a - b);
    this.#gathered = [];
    const last = this.#advance(tags);
    this.#whileOpen(() => {
      for (const tag of tags) {
        if (last === undefined || tag > last) this.#send(tag, false);
        else if (tag === last) this.#send(tag, true);
      }
    });
  }

  /**
   * Moves the mark past everything that is settled without a gap.
   *
   * @returns the last of `tags` below it: one frame for all of them must name a tag that the broker still waits for
   */
  #advance(tags: readonly number[]): number | undefined {
    const before = this.#lowest;
    for (const tag of tags) {
      if (tag === this.#lowest) this.#lowest += 1;
      else this.#ahead.add(tag);
      while (this.#ahead.delete(this.#lowest)) this.#lowest += 1;
    }
    return this.#lowest === before ? undefined : tags.findLast((tag) => tag < this.#lowest);
  }

  #whileOpen(send: () => void): void {
    try {
      send();
    } catch {
      // The channel closed in this very turn: the broker delivers all of it again.
    }
  }

  #send(deliveryTag: number, isMultiple: boolean): void {
    this.#channel.ack({ fields: { deliveryTag } } as ConsumeMessage, isMultiple);
  }
}
