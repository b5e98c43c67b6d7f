import type { ConsumeMessage } from 'amqplib';

import type { Acknowledgements } from './acknowledgements.ts';

/** One message in flight, settled at most once and only on the channel that delivered it. */
export class Delivery {
  readonly message: ConsumeMessage;
  /** The queue that it came from. */
  readonly queue: string;
  readonly #acknowledgements: Acknowledgements;
  #state: 'in flight' | 'settled' | 'lost' = 'in flight';

  constructor(message: ConsumeMessage, queue: string, acknowledgements: Acknowledgements) {
    this.message = message;
    this.queue = queue;
    this.#acknowledgements = acknowledgements;
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
    if (this.#settle()) this.#acknowledgements.acknowledge(this.message);
  }

  /** Back to its queue: not now, or not here. */
  requeue(): void {
    if (this.#settle()) this.#acknowledgements.requeue(this.message);
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
