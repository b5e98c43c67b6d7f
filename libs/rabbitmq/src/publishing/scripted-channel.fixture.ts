import { EventEmitter } from 'node:events';

import { afterEach, beforeEach, jest } from '@jest/globals';
import type { ChannelModel } from 'amqplib';

import { ConfirmedPublisher, type PublisherOptions } from './confirmed-publisher.ts';
import { messageTo } from '../outgoing-message.fixture.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

type Answer = (error: Error | null) => void;

interface Published {
  readonly properties: object;
  readonly queue: string;
  readonly answer: Answer;
}

/**
 * A channel whose answers arrive in the order that a spec chooses. A real broker rarely chooses the awkward
 * orders.
 */
class ScriptedChannel extends EventEmitter {
  readonly published: Published[] = [];
  isClosed = false;
  readonly #broker: { readonly confirmed: Set<string> };
  #sent: Omit<Published, 'answer'> | undefined;

  constructor(broker: { readonly confirmed: Set<string> }) {
    super();
    this.#broker = broker;
  }

  sendMessage({ routingKey }: { routingKey: string }, properties: object): void {
    if (this.isClosed) throw Object.assign(new Error('Channel closed'), { name: 'IllegalOperationError' });
    this.#sent = { properties, queue: routingKey };
  }

  pushConfirmCallback(answer: Answer): void {
    if (this.#sent && this.#broker.confirmed.has(this.#sent.queue)) return answer(null);
    if (this.#sent) this.published.push({ ...this.#sent, answer });
  }

  get queues(): string[] {
    return this.published.map(({ queue }) => queue);
  }

  confirm(index: number): void {
    if (!this.isClosed) this.published[index]?.answer(null);
  }

  refuse(index: number): void {
    this.published[index]?.answer(new Error('message nacked'));
  }

  return(index: number): void {
    this.emit('return', { properties: this.published[index]?.properties });
  }

  close(): void {
    this.isClosed = true;
  }

  /**
   * Closes the channel as amqplib does: pending confirms fail after the `error` listeners and before the
   * `close` listeners.
   *
   * @param code the broker's reply code; absent if the connection was lost
   */
  lose(code?: number, reason = 'closed by the broker'): void {
    if (code !== undefined) this.emit('error', Object.assign(new Error(reason), { code }));
    this.isClosed = true;
    for (const { answer } of this.published.splice(0)) answer(new Error('channel closed'));
    this.emit('close');
  }
}

/** Returns a publisher on a scripted connection. */
export async function attach(options: PublisherOptions = {}) {
  const publisher = new ConfirmedPublisher(options);
  /** The channels of the connection in use, oldest first. */
  const channels: ScriptedChannel[] = [];
  const givenUp: string[] = [];
  /** The queues whose messages are confirmed at once. */
  const broker = { model: new EventEmitter(), opensAfterMs: 0, confirmed: new Set(['probe']) };
  const next = async () => {
    channels.length = 0;
    broker.model = Object.assign(new EventEmitter(), {
      connection: { stream: { destroy: ({ message }: Error) => givenUp.push(message) } },
      createConfirmChannel: async () => {
        const { opensAfterMs } = broker;
        if (opensAfterMs > 0) await new Promise((resolve) => setTimeout(resolve, opensAfterMs));
        const channel = new ScriptedChannel(broker);
        channels.push(channel);
        return channel;
      },
    });
    await publisher.attach(broker.model as unknown as ChannelModel);
    return channels[0]!;
  };
  return {
    publisher,
    broker,
    channels,
    givenUp,
    next,
    channel: await next(),
    publish: (queue: string) => publisher.publish(messageTo(queue)),
    /** Advances the clock and runs everything that is due. */
    pass: (ms: number) => jest.advanceTimersByTimeAsync(ms),
  };
}
