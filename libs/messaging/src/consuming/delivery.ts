import type { Channel, ConsumeMessage } from 'amqplib';

/** One message in hand, settled at most once and only on the channel that delivered it. */
export class Delivery {
  readonly message: ConsumeMessage;
  /** The queue that it came from. */
  readonly queue: string;
  readonly #channel: Channel;
  #state: 'in hand' | 'settled' | 'lost' = 'in hand';

  constructor(message: ConsumeMessage, queue: string, channel: Channel) {
    this.message = message;
    this.queue = queue;
    this.#channel = channel;
  }

  /** Whether an acknowledgement would still reach the broker; if not, it has delivered the message again or will. */
  get isAlive(): boolean {
    return this.#state === 'in hand';
  }

  /** Times that the broker delivered it before; it counts a crash, a cut and a return alike. */
  get redeliveries(): number {
    const count: unknown = this.message.properties.headers?.['x-delivery-count'];
    return typeof count === 'number' ? count : 0;
  }

  acknowledge(): void {
    this.#settle((channel) => channel.ack(this.message));
  }

  /** Back to its queue: not now, or not here. */
  giveBack(): void {
    this.#settle((channel) => channel.nack(this.message, false, true));
  }

  /** The channel is gone and with it the right to settle. */
  lose(): void {
    if (this.#state === 'in hand') this.#state = 'lost';
  }

  #settle(send: (channel: Channel) => void): void {
    if (this.#state !== 'in hand') return;
    this.#state = 'settled';
    try {
      send(this.#channel);
    } catch {
      // The channel closed in this very turn: the broker delivers the message again.
      this.#state = 'lost';
    }
  }
}
