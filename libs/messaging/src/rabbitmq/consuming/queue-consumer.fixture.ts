import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';

import { messageOf } from './message.fixture.ts';
import { QueueConsumer, type QueueConsumerOptions } from './queue-consumer.ts';

export const PAUSE_MS = 1_000;

/** A channel of a broker that answers `basic.qos` when it is told to, and notes who consumes on it. */
export function scriptedChannel() {
  const qos = Promise.withResolvers<void>();
  const consumers: string[] = [];
  /** Of each consumer. */
  const prefetches: number[] = [];
  const cancelled: string[] = [];
  let prefetch = 0;
  let isClosed = false;
  let requeued = 0;
  let consumeAnswer = Promise.withResolvers<void>();
  consumeAnswer.resolve();
  const callbacks: ((message: ConsumeMessage) => void)[] = [];
  const onClose: (() => void)[] = [];
  const channel = {
    on: (event: string, listener: () => void) => {
      if (event === 'close') onClose.push(listener);
      return channel;
    },
    acceptMessageFrame: () => undefined,
    prefetch: (count: number) => {
      prefetch = count;
      return qos.promise;
    },
    consume: async (queue: string, callback: (message: ConsumeMessage) => void) => {
      const consumerTag = `tag-${consumers.push(queue)}`;
      prefetches.push(prefetch);
      callbacks.push(callback);
      await consumeAnswer.promise;
      return { consumerTag };
    },
    cancel: (consumerTag: string) => Promise.resolve(cancelled.push(consumerTag)),
    nack: () => (requeued += 1),
    close: () => {
      isClosed = true;
      return Promise.resolve();
    },
  };
  const connection = { createChannel: () => Promise.resolve(channel as unknown as Channel) };
  return {
    connection: connection as unknown as ChannelModel,
    consumers,
    prefetches,
    cancelled,
    isClosed: () => isClosed,
    get requeued() {
      return requeued;
    },
    answerQos: qos.resolve,
    holdConsume: () => (consumeAnswer = Promise.withResolvers()),
    releaseConsume: () => consumeAnswer.resolve(),
    deliver: () => callbacks.forEach((callback) => callback(messageOf())),
    lose: () => onClose.forEach((listener) => listener()),
  };
}

export function consumerOf(
  handle: QueueConsumerOptions['handle'] = () => Promise.resolve(),
  rest: Partial<QueueConsumerOptions> = {},
): QueueConsumer {
  return new QueueConsumer({
    queue: 'poker.reports',
    prefetch: 1,
    maxBodyBytes: 1024,
    handle,
    ...rest,
    onLost: () => undefined,
  });
}
