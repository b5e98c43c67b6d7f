import type { Channel, ConsumeMessage } from 'amqplib';

/**
 * The acknowledgements of one channel, those of the confirms that were read at once together: what is finished without a
 * gap goes in one frame, the rest singly. Delivery tags count up from 1. `channel.ack` and `channel.nack` would do, but cost
 * the broker an eighth more (docs/decisions/0008).
 */
export class Acknowledgements {
  readonly #channel: Channel;
  #frames = 0;
  /** Every tag below it is settled. */
  #lowest = 1;
  /** Settled, the broker knows, and some lower tag is not. */
  readonly #ahead = new Set<number>();
  /** Settled just now; the broker does not know yet. */
  #gathered: number[] = [];

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  /** How many frames were sent. */
  get frames(): number {
    return this.#frames;
  }

  /** Sent at the end of this turn at the latest. */
  acknowledge(message: ConsumeMessage): void {
    if (this.#gathered.length === 0) process.nextTick(() => this.flush());
    this.#gathered.push(message.fields.deliveryTag);
  }

  /** Returns a message to its queue at once. */
  requeue(message: ConsumeMessage): void {
    this.#ahead.add(message.fields.deliveryTag);
    this.#send('nack', message.fields.deliveryTag, false);
  }

  /** Sends what was not sent yet; before the channel is closed. */
  flush(): void {
    const tags = this.#gathered.sort((a, b) => a - b);
    this.#gathered = [];
    for (const tag of tags) this.#ahead.add(tag);
    while (this.#ahead.delete(this.#lowest)) this.#lowest += 1;
    // One frame for all below the mark; it must name a tag that the broker still waits for.
    const last = tags.findLast((tag) => tag < this.#lowest);
    if (last !== undefined) this.#send('ack', last, true);
    for (const tag of tags) if (tag > this.#lowest) this.#send('ack', tag, false);
  }

  #send(how: 'ack' | 'nack', deliveryTag: number, isMultiple: boolean): void {
    this.#frames += 1;
    try {
      this.#channel[how]({ fields: { deliveryTag } } as ConsumeMessage, isMultiple);
    } catch {
      // It closed in this very turn: the broker delivers all of it again.
    }
  }
}
