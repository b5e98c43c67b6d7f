import type { ConsumeMessage } from 'amqplib';

import { type BrokerRelease, brokerReleaseOf } from '../connection/broker-release.ts';

/** Tells the broker of one channel what became of its deliveries, as amqplib's own `ack` and `nack` do. */
export interface Acknowledger {
  /** At the end of this turn at the latest. */
  acknowledge(message: ConsumeMessage): void;
  /** Returns a message to its queue at once. */
  requeue(message: ConsumeMessage): void;
  /** Sends what was not sent yet; before the channel is closed. */
  flush(): void;
}

const UNKNOWN = brokerReleaseOf('');
/** Up to which a priority is an ordinary one to a quorum queue. */
const ORDINARY_PRIORITY = 4;

/** One message in flight, settled at most once and only on the channel that delivered it. */
export class Delivery {
  readonly message: ConsumeMessage;
  /** Of its body, of which the message holds only the beginning if it is too large. */
  readonly bodyBytes: number;
  /** The queue that it came from. */
  readonly queue: string;
  readonly #acknowledger: Acknowledger;
  readonly #release: BrokerRelease;
  #state: 'in flight' | 'settled' | 'lost' = 'in flight';

  /**
   * @param release of the broker that delivered it; default: 4.0
   * @param bodyBytes default: the message holds all of its body
   */
  constructor(
    message: ConsumeMessage,
    queue: string,
    acknowledger: Acknowledger,
    release = UNKNOWN,
    bodyBytes = message.content.length,
  ) {
    this.message = message;
    this.#release = release;
    this.bodyBytes = bodyBytes;
    this.queue = queue;
    this.#acknowledger = acknowledger;
  }

  /** Whether an acknowledgement would still reach the broker; if not, it has delivered the message again or will. */
  get isAlive(): boolean {
    return this.#state === 'in flight';
  }

  /** Whether its channel went before it was settled: the broker delivers the message again. */
  get isLost(): boolean {
    return this.#state === 'lost';
  }

  /**
   * Times that the broker delivered it before. Up to 4.2 a crash, a cut and a return count alike. From 4.3 returns do
   * not, and the count is no more than the broker's own of all deliveries: a caller may have written the first one.
   */
  get redeliveries(): number {
    const delivered = this.#count('x-delivery-count');
    return this.#release.isFrom43 ? Math.min(delivered, this.#count('x-acquired-count')) : delivered;
  }

  /** Whether the broker delivered it before others that had waited for longer, because its caller said so. */
  get isPreferred(): boolean {
    const priority: unknown = this.message.properties.priority;
    return typeof priority === 'number' && priority > ORDINARY_PRIORITY;
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

  #count(header: string): number {
    const count: unknown = this.message.properties.headers?.[header];
    return typeof count === 'number' ? count : 0;
  }

  #settle(): boolean {
    if (this.#state !== 'in flight') return false;
    this.#state = 'settled';
    return true;
  }
}
