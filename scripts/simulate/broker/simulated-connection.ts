import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';

import type { QueueReader, SimulatedQueue } from './simulated-queue.ts';

interface Unacknowledged {
  readonly command: number;
  readonly reader: QueueReader;
}

/** A connection to the simulated broker, as far as the worker's consumer uses one: each channel reads one queue. */
export function simulatedConnection(queue: SimulatedQueue): ChannelModel {
  return {
    createChannel: () => Promise.resolve(new SimulatedChannel(queue) as unknown as Channel),
  } as unknown as ChannelModel;
}

/** The number of a command that was delivered. */
export function commandOf({ properties }: ConsumeMessage): number {
  return Number(properties.messageId);
}

class SimulatedChannel {
  readonly #queue: SimulatedQueue;
  readonly #readers = new Map<string, QueueReader>();
  readonly #unacknowledged = new Map<number, Unacknowledged>();
  #prefetch = 0;
  #tags = 0;
  #lowest = 1;

  constructor(queue: SimulatedQueue) {
    this.#queue = queue;
  }

  on(): this {
    return this;
  }

  acceptMessageFrame(): void {}

  prefetch(count: number): Promise<void> {
    this.#prefetch = count;
    return Promise.resolve();
  }

  consume(_queue: string, take: (message: ConsumeMessage) => void): Promise<{ consumerTag: string }> {
    const consumerTag = `consumer-${this.#readers.size}`;
    const reader: QueueReader = {
      prefetch: this.#prefetch,
      unacknowledged: 0,
      deliver: (command) => {
        this.#tags += 1;
        this.#unacknowledged.set(this.#tags, { command, reader });
        take(messageOf(command, this.#tags));
      },
    };
    this.#readers.set(consumerTag, reader);
    this.#queue.add(reader);
    return Promise.resolve({ consumerTag });
  }

  cancel(consumerTag: string): Promise<void> {
    const reader = this.#readers.get(consumerTag);
    if (reader) this.#queue.remove(reader);
    return Promise.resolve();
  }

  ack({ fields: { deliveryTag } }: ConsumeMessage, isMultiple = false): void {
    if (!isMultiple) this.#settle(deliveryTag);
    else for (; this.#lowest <= deliveryTag; this.#lowest += 1) this.#settle(this.#lowest);
  }

  nack({ fields: { deliveryTag } }: ConsumeMessage): void {
    const { command, reader } = this.#take(deliveryTag) ?? {};
    if (command !== undefined && reader) this.#queue.requeue(reader, command);
  }

  /** What is not acknowledged goes back to the queue. */
  close(): Promise<void> {
    const left = [...this.#unacknowledged.values()].reverse();
    this.#unacknowledged.clear();
    for (const { command, reader } of left) this.#queue.requeue(reader, command);
    return Promise.resolve();
  }

  #settle(deliveryTag: number): void {
    const { reader } = this.#take(deliveryTag) ?? {};
    if (reader) this.#queue.acknowledge(reader);
  }

  #take(deliveryTag: number): Unacknowledged | undefined {
    const taken = this.#unacknowledged.get(deliveryTag);
    this.#unacknowledged.delete(deliveryTag);
    return taken;
  }
}

function messageOf(command: number, deliveryTag: number): ConsumeMessage {
  return {
    content: Buffer.alloc(0),
    fields: { consumerTag: '', deliveryTag, redelivered: false, exchange: '', routingKey: '' },
    properties: { messageId: String(command), headers: {} },
  } as unknown as ConsumeMessage;
}
