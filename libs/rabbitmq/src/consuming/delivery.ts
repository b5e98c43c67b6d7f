import type { ConsumeMessage } from 'amqplib';

import type { BrokerRelease } from '../connection/broker-release.ts';
import type { Acknowledgements } from '../amqplib/acknowledgements.ts';

/** The `type` that RabbitMQ sets if an AMQP 1.0 client sent a body without data sections. */
export const ENCODED_BODY = 'amqp-1.0';
/**
 * The prefix with which AMQP 1.0 clients address a queue. The broker passes it on; the name is
 * percent-encoded.
 */
const QUEUE_ADDRESS = '/queues/';
/** Quorum queues treat priorities up to this one as normal. */
const ORDINARY_PRIORITY = 4;

export interface DeliveringChannel {
  readonly queue: string;
  readonly release: BrokerRelease;
  readonly isOpen: boolean;
  readonly acknowledgements: Pick<Acknowledgements, 'acknowledge' | 'requeue'>;
}

/** An in-flight message. It is settled at most once, and only on the channel that delivered it. */
export class Delivery {
  /** The message; an AMQP 1.0 reply address is converted to its AMQP 0-9-1 form. */
  readonly message: ConsumeMessage;
  /** The original length of the body, in bytes. The body of `message` may be truncated. */
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

  /** True if it is neither settled nor lost. */
  get isAlive(): boolean {
    return !this.#isSettled && this.#channel.isOpen;
  }

  /** True if its channel closed before it was settled, so that the broker redelivers it. */
  get isLost(): boolean {
    return !this.#isSettled && !this.#channel.isOpen;
  }

  /**
   * The number of earlier deliveries. Up to 4.2, a crash, a lost connection and a requeue all count. From 4.3
   * on, a requeue does not count, and the value is limited to the broker's own count of all deliveries,
   * because a caller can forge the header.
   */
  get redeliveries(): number {
    const delivered = this.#count('x-delivery-count');
    const { isFrom43 } = this.#channel.release;
    return isFrom43 ? Math.min(delivered, this.#count('x-acquired-count')) : delivered;
  }

  /** True if the caller set a priority for which the broker delivers the message ahead of older ones. */
  get isPreferred(): boolean {
    const priority: unknown = this.message.properties.priority;
    return typeof priority === 'number' && priority > ORDINARY_PRIORITY;
  }

  acknowledge(): void {
    this.#settle('acknowledge');
  }

  /** Returns the message to its queue. */
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
