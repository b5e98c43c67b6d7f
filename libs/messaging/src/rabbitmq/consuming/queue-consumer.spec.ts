import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { messageOf } from './message.fixture.ts';
import { QueueConsumer, type QueueConsumerOptions } from './queue-consumer.ts';

const PAUSE_MS = 1_000;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A channel of a broker that answers `basic.qos` when it is told to, and notes who consumes on it. */
function scriptedChannel() {
  const qos = Promise.withResolvers<void>();
  const consumers: string[] = [];
  /** Of each consumer. */
  const prefetches: number[] = [];
  let prefetch = 0;
  const callbacks: ((message: ConsumeMessage) => void)[] = [];
  const onClose: (() => void)[] = [];
  const channel = {
    on: (event: string, listener: () => void) => {
      if (event === 'close') onClose.push(listener);
      return channel;
    },
    prefetch: (count: number) => {
      prefetch = count;
      return qos.promise;
    },
    consume: (queue: string, callback: (message: ConsumeMessage) => void) => {
      consumers.push(queue);
      prefetches.push(prefetch);
      callbacks.push(callback);
      return Promise.resolve({ consumerTag: `tag-${consumers.length}` });
    },
    cancel: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const connection = { createChannel: () => Promise.resolve(channel as unknown as Channel) };
  return {
    connection: connection as unknown as ChannelModel,
    consumers,
    prefetches,
    answerQos: qos.resolve,
    deliver: () => callbacks.forEach((callback) => callback(messageOf())),
    lose: () => onClose.forEach((listener) => listener()),
  };
}

function consumer(
  handle: () => Promise<void> = () => Promise.resolve(),
  rest: Partial<QueueConsumerOptions> = {},
): QueueConsumer {
  return new QueueConsumer({
    queue: 'poker.reports',
    prefetch: 1,
    handle,
    ...rest,
    onLost: () => undefined,
  });
}

describe('QueueConsumer', () => {
  it('consumes once where its pause ends while a new channel is being prepared', async () => {
    const reports = consumer();
    const first = scriptedChannel();
    first.answerQos();
    await reports.attach(first.connection);
    await reports.pause(PAUSE_MS);
    const second = scriptedChannel();
    const attached = reports.attach(second.connection);
    await jest.advanceTimersByTimeAsync(PAUSE_MS);
    second.answerQos();
    await attached;
    await jest.advanceTimersByTimeAsync(0);
    expect(second.consumers).toEqual(['poker.reports']);
    expect(reports.state).toBe('consuming');
  });

  it('consumes when its pause ends after a new channel was prepared', async () => {
    const reports = consumer();
    const first = scriptedChannel();
    first.answerQos();
    await reports.attach(first.connection);
    await reports.pause(PAUSE_MS);
    const second = scriptedChannel();
    second.answerQos();
    await reports.attach(second.connection);
    expect(second.consumers).toEqual([]);
    await jest.advanceTimersByTimeAsync(PAUSE_MS);
    expect(second.consumers).toEqual(['poker.reports']);
  });

  it('does not begin to consume where it is told to stop while its channel is being prepared', async () => {
    const reports = consumer();
    const { connection, consumers, answerQos } = scriptedChannel();
    const attached = reports.attach(connection);
    await Promise.resolve();
    await reports.drain(0);
    answerQos();
    await attached;
    expect(consumers).toEqual([]);
    expect(reports.state).toBe('stopped');
  });

  it('takes no more while commands of three lost channels are in hand', async () => {
    const { promise: end, resolve: endAll } = Promise.withResolvers<void>();
    const reports = consumer(() => end);
    const loseOneInHand = async () => {
      const { connection, answerQos, deliver, lose } = scriptedChannel();
      answerQos();
      await reports.attach(connection);
      deliver();
      lose();
    };
    for (let times = 0; times < 5; times += 1) await loseOneInHand();
    expect(reports.inHand).toBe(3);
    expect(reports.state).toBe('paused');

    const { connection, consumers, answerQos } = scriptedChannel();
    answerQos();
    await reports.attach(connection);
    await jest.advanceTimersByTimeAsync(PAUSE_MS);
    expect(consumers).toEqual([]);
    endAll();
    await jest.advanceTimersByTimeAsync(PAUSE_MS);
    expect(consumers).toEqual(['poker.reports']);
    expect(reports.state).toBe('consuming');
  });

  describe('after a pause', () => {
    let isServed: boolean;
    let channel: ReturnType<typeof scriptedChannel>;
    let reports: QueueConsumer;
    beforeEach(async () => {
      isServed = false;
      reports = consumer(undefined, { prefetch: 5, isServed: () => isServed });
      channel = scriptedChannel();
      channel.answerQos();
      await reports.attach(channel.connection);
      await reports.pause(PAUSE_MS);
      await jest.advanceTimersByTimeAsync(PAUSE_MS);
    });

    it('takes one at a time until what it takes can be done, then the rest as well', async () => {
      expect(channel.prefetches).toEqual([5, 1]);
      channel.deliver();
      await jest.advanceTimersByTimeAsync(PAUSE_MS);
      expect(channel.prefetches).toEqual([5, 1]);
      isServed = true;
      await jest.advanceTimersByTimeAsync(PAUSE_MS);
      expect(channel.prefetches).toEqual([5, 1, 4]);
      expect(channel.consumers).toHaveLength(3);
      await jest.advanceTimersByTimeAsync(2 * PAUSE_MS);
      expect(channel.prefetches).toHaveLength(3);
    });

    it('takes the rest not before it has taken one', async () => {
      isServed = true;
      await jest.advanceTimersByTimeAsync(PAUSE_MS);
      expect(channel.prefetches).toEqual([5, 1]);
      channel.deliver();
      await jest.advanceTimersByTimeAsync(PAUSE_MS);
      expect(channel.prefetches).toEqual([5, 1, 4]);
    });

    it('pauses again where that one fails, and tries one again', async () => {
      channel.deliver();
      await reports.pause(PAUSE_MS);
      expect(reports.state).toBe('paused');
      await jest.advanceTimersByTimeAsync(PAUSE_MS);
      expect(channel.prefetches).toEqual([5, 1, 1]);
      expect(reports.state).toBe('consuming');
    });
  });
});
