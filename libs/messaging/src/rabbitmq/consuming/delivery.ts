import type { ConsumeMessage } from 'amqplib';

/** Tells the broker of one channel what became of its deliveries, as amqplib's own `ack` and `nack` do. */
export interface Acknowledger {
  /** At the end of this turn at the latest. */
  acknowledge(message: ConsumeMessage): void;
  /** Returns a message to its queue at once. */
  requeue(message: ConsumeMessage): void;
  /** Sends what was not sent yet; before the channel is closed. */
  flush(): void;
}

/** One message in flight, settled at most once and only on the channel that delivered it. */
export class Delivery {
  readonly message: ConsumeMessage;
  /** Of its body, of which the message holds only the beginning if it is too large. */
  readonly bodyBytes: number;
  /** The queue that it came from. */
  readonly queue: string;
  readonly #acknowledger: Acknowledger;
  #state: 'in flight' | 'settled' | 'lost' = 'in flight';

  /** @param bodyBytes default: the message holds all of its body */
  constructor(
    message: ConsumeMessage,
    queue: string,
    acknowledger: Acknowledger,
    bodyBytes = message.content.length,
  ) {
    this.message = message;
    this.bodyBytes = bodyBytes;
    this.queue = queue;
    this.#acknowledger = acknowledger;
  }

  /** Whether an acknowledgement would still reach the broker; if not, it has delivered the message again or will. */
  get isAlive(): boolean {
    return this.#state === 'in flight';
  }

  /** Times that the broker delivered it before; it counts a crash, a cut and a return alike. */
  get redeliveries(): number {
    const count: unknown = this.message.properties.headers?.['x-delivery-count'];
    return typeof count === 'number' ? count : 0;
  }

  acknowledge(): void {
    if (this.#settle()) this.#acknowledger.acknowledge(this.message);
  }

  /** Back to its queue: not now, or not here. */
  requeue(): void {
    if (this.#settle()) this.#acknowledger.requeue(this.message);
  }

  /** The channel is gone and with it the right to settle. */
  lose(): void {
    if (this.#state === 'in flight') this.#state = 'lost';
  }

  #settle(): boolean {
    if (this.#state !== 'in flight') return false;
    this.#state = 'settled';
    return true;
  }
}
