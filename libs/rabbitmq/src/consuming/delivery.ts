import type { ConsumeMessage } from 'amqplib';

import type { BrokerRelease } from '../connection/broker-release.ts';
import type { Acknowledgements } from '../amqplib/acknowledgements.ts';

/** What RabbitMQ writes into `type` if a client of AMQP 1.0 sent a body that is not in data sections. */
export const ENCODED_BODY = 'amqp-1.0';
/** How clients of AMQP 1.0 address a queue, which the broker hands on. The name is percent-encoded. */
const QUEUE_ADDRESS = '/queues/';
/** The highest that is an ordinary one to a quorum queue. */
const ORDINARY_PRIORITY = 4;

export interface DeliveringChannel {
  readonly queue: string;
  readonly release: BrokerRelease;
  readonly isOpen: boolean;
  readonly acknowledgements: Pick<Acknowledgements, 'acknowledge' | 'requeue'>;
}

/** One message in flight, settled at most once and only on the channel that delivered it. */
export class Delivery {
  /** With the reply address that a client of AMQP 0-9-1 would have sent. */
  readonly message: ConsumeMessage;
  /** The length of its body, of which the message holds only the beginning if it is too large. */
  readonly bodyBytes: number;
  readonly #channel: DeliveringChannel;
  #isSettled = false;

  constructor(message: ConsumeMessage, bodyBytes: number, channel: DeliveringChannel) {
    this.message = asAmqp091(message);
    this.bodyBytes = bodyBytes;
    this.#channel = channel;
  }

  get queue(): string {
    return this.#channel.queue;
  }

  /** Whether it is neither settled nor lost. */
  get isAlive(): boolean {
    return !this.#isSettled && this.#channel.isOpen;
  }

  /** Whether its channel went before it was settled: the broker delivers the message again. */
  get isLost(): boolean {
    return !this.#isSettled && !this.#channel.isOpen;
  }

  /**
   * Times that the broker delivered it before. Up to 4.2 a crash, a cut and a return count alike. From 4.3 returns do
   * not, and the count is no more than the broker's own of all deliveries: a caller may have written the first one.
   */
  get redeliveries(): number {
    const delivered = this.#count('x-delivery-count');
    const { isFrom43 } = this.#channel.release;
    return isFrom43 ? Math.min(delivered, this.#count('x-acquired-count')) : delivered;
  }

  /** Whether the broker delivered it before others that had waited for longer, because its caller said so. */
  get isPreferred(): boolean {
    const priority: unknown = this.message.properties.priority;
    return typeof priority === 'number' && priority > ORDINARY_PRIORITY;
  }

  acknowledge(): void {
    this.#settle('acknowledge');
  }

  /** Back to its queue: not now, or not here. */
  requeue(): void {
    this.#settle('requeue');
  }

  #count(header: string): number {
    const count: unknown = this.message.properties.headers?.[header];
    return typeof count === 'number' ? count : 0;
  }

  #settle(how: 'acknowledge' | 'requeue'): void {
    if (!this.isAlive) return;
    this.#isSettled = true;
    this.#channel.acknowledgements[how](this.message);
  }
}

function asAmqp091(message: ConsumeMessage): ConsumeMessage {
  const { replyTo } = message.properties as { replyTo?: unknown };
  if (typeof replyTo !== 'string' || !replyTo.startsWith(QUEUE_ADDRESS)) return message;
  try {
    const queue = decodeURIComponent(replyTo.slice(QUEUE_ADDRESS.length));
    return { ...message, properties: { ...message.properties, replyTo: queue } };
  } catch {
    return message;
  }
}
