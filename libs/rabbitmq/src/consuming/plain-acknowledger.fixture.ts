import type { Channel, ConsumeMessage } from 'amqplib';

import type { Acknowledger } from './delivery.ts';

/** Acknowledges and requeues as amqplib's documentation says, one frame each. */
export class PlainAcknowledger implements Acknowledger {
  readonly #channel: Channel;

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  acknowledge(message: ConsumeMessage): void {
    this.#channel.ack(message);
  }

  requeue(message: ConsumeMessage): void {
    this.#channel.nack(message, false, true);
  }

  flush(): void {}
}
