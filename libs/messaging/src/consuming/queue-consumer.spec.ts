import type { Channel, ChannelModel } from 'amqplib';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { QueueConsumer } from './queue-consumer.ts';

const PAUSE_MS = 1_000;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A channel of a broker that answers `basic.qos` when it is told to, and counts who consumes on it. */
function scriptedChannel() {
  const qos = Promise.withResolvers<void>();
  const consumers: string[] = [];
  const channel = {
    on: () => channel,
    prefetch: () => qos.promise,
    consume: (queue: string) => {
      consumers.push(queue);
      return Promise.resolve({ consumerTag: `tag-${consumers.length}` });
    },
    cancel: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const connection = { createChannel: () => Promise.resolve(channel as unknown as Channel) };
  return { connection: connection as unknown as ChannelModel, consumers, answerQos: qos.resolve };
}

function consumer(): QueueConsumer {
  return new QueueConsumer({
    queue: 'poker.reports',
    prefetch: 1,
    handle: () => Promise.resolve(),
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
});
