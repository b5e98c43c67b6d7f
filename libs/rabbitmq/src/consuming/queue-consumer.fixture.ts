import { afterEach, beforeEach, jest } from '@jest/globals';
import type { ChannelModel, ConsumeMessage } from 'amqplib';

import type { BrokerConnection } from '../connection/broker-connection.ts';
import { messageOf } from '../message.fixture.ts';
import { QueueConsumer, type QueueConsumerOptions } from './queue-consumer.ts';

export const PAUSE_MS = 1_000;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** A scripted channel that answers on request and records its consumers. */
function scriptedChannel() {
  /** The prefetch of each consumer, oldest first. */
  const prefetches: number[] = [];
  const cancelled: string[] = [];
  let prefetch = 0;
  let isClosed = false;
  let requeued = 0;
  let isHolding = false;
  let isHanging = false;
  let release = (): void => undefined;
  const callbacks: ((message: ConsumeMessage | null) => void)[] = [];
  const onClose: (() => void)[] = [];
  const channel = {
    on: (event: string, listener: () => void) => void (event === 'close' && onClose.push(listener)),
    acceptMessageFrame: () => undefined,
    prefetch: (count: number) => Promise.resolve((prefetch = count)),
    consume: async (_queue: string, callback: (message: ConsumeMessage | null) => void) => {
      prefetches.push(prefetch);
      callbacks.push(callback);
      if (isHolding) await new Promise<void>((resolve) => (release = resolve));
    },
    checkQueue: () => (isHanging ? new Promise(() => undefined) : Promise.resolve({ messageCount: 1 })),
    cancel: (consumerTag: string) => Promise.resolve(cancelled.push(consumerTag)),
    ack: () => undefined,
    nack: () => (requeued += 1),
    close: () => Promise.resolve((isClosed = true)),
  };
  return {
    channel,
    prefetches,
    cancelled,
    isClosed: () => isClosed,
    requeued: () => requeued,
    hang: () => (isHanging = true),
    holdConsume: () => (isHolding = true),
    releaseConsume: () => {
      isHolding = false;
      release();
    },
    deliver: () => callbacks.at(-1)?.(messageOf()),
    cancelByBroker: () => callbacks.at(-1)?.(null),
    lose: () => onClose.forEach((listener) => listener()),
  };
}

/** Returns a consumer on a connection that opens the given channels in turn, and then waits. */
export function consumerOf(
  handle: QueueConsumerOptions['handle'] = () => Promise.resolve(),
  { opensAfterMs = 0, ...rest }: Partial<QueueConsumerOptions> & { opensAfterMs?: number } = {},
) {
  const lost: string[] = [];
  const consumer = new QueueConsumer({
    queue: 'poker.reports',
    prefetch: 1,
    handle,
    onLost: ({ message }) => void lost.push(message),
    ...rest,
  });
  const given: ReturnType<typeof scriptedChannel>[] = [];
  const model = {
    createChannel: () => {
      const { channel } = given.shift() ?? scriptedChannel();
      return new Promise((resolve) => setTimeout(resolve, opensAfterMs, channel));
    },
    connection: {},
  } as unknown as ChannelModel;
  const connection = {
    established: async () => {
      while (given.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      return model;
    },
    model,
    reset: () => undefined,
  } as unknown as BrokerConnection;
  return {
    consumer,
    lost,
    /** Makes it consume on the next channel. */
    async next() {
      const channel = scriptedChannel();
      given.push(channel);
      consumer.start(connection);
      await pass(300);
      return channel;
    },
  };
}

/** Advances the clock and runs everything that is due. */
export async function pass(ms: number): Promise<void> {
  await jest.advanceTimersByTimeAsync(ms);
}
