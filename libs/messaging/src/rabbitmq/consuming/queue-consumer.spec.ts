import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { consumerOf, PAUSE_MS, scriptedChannel } from './queue-consumer.fixture.ts';
import type { Delivery } from './delivery.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('QueueConsumer', () => {
  it('consumes once if its pause ends while a new channel is being prepared', async () => {
    const reports = consumerOf();
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
    const reports = consumerOf();
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

  it.each([
    ['while its channel is opened', async () => {}],
    ['while its channel is prepared', () => jest.advanceTimersByTimeAsync(0)],
  ])('does not begin to consume if it is told to stop %s', async (_, untilThen) => {
    const reports = consumerOf();
    const { connection, consumers, answerQos, isClosed } = scriptedChannel();
    const attached = reports.attach(connection);
    await untilThen();
    await reports.drain(0);
    answerQos();
    await attached;
    await jest.advanceTimersByTimeAsync(0);
    expect(consumers).toEqual([]);
    expect(isClosed()).toBe(true);
    expect(reports.state).toBe('stopped');
  });

  it('cancels what it is told to stop while it begins to consume, and requeues what comes meanwhile', async () => {
    const taken: Delivery[] = [];
    const reports = consumerOf(async (delivery) => void taken.push(delivery));
    const channel = scriptedChannel();
    channel.answerQos();
    channel.holdConsume();
    const attached = reports.attach(channel.connection);
    await jest.advanceTimersByTimeAsync(0);
    const drained = reports.drain(0);
    channel.deliver();
    channel.releaseConsume();
    await Promise.all([attached, drained]);
    expect([channel.requeued, taken]).toEqual([1, []]);
    expect(channel.cancelled).toEqual(['tag-1']);
    expect(reports.state).toBe('stopped');
  });

  it('takes no more while messages of three lost channels are in flight', async () => {
    const { promise: end, resolve: endAll } = Promise.withResolvers<void>();
    const reports = consumerOf(() => end);
    const loseOneInFlight = async () => {
      const { connection, answerQos, deliver, lose } = scriptedChannel();
      answerQos();
      await reports.attach(connection);
      deliver();
      lose();
    };
    for (let times = 0; times < 5; times += 1) await loseOneInFlight();
    expect(reports.inFlight).toBe(3);
    expect(reports.state).toBe('paused');

    const { connection, consumers, answerQos } = scriptedChannel();
    answerQos();
    await reports.attach(connection);
    await jest.advanceTimersByTimeAsync(PAUSE_MS);
    expect(consumers).toEqual([]);
    endAll();
    await jest.advanceTimersByTimeAsync(0);
    expect(consumers).toEqual(['poker.reports']);
    expect(reports.state).toBe('consuming');
  });

  it('settles what was in flight on a lost channel, and does not take it for that of the next one', async () => {
    const taken: Delivery[] = [];
    const reports = consumerOf((delivery) => (taken.push(delivery), new Promise(() => undefined)));
    const [first, second] = [scriptedChannel(), scriptedChannel()];
    for (const { answerQos } of [first, second]) answerQos();
    await reports.attach(first.connection);
    first.deliver();
    reports.reset('deaf');
    expect(first.isClosed()).toBe(false);
    await reports.attach(second.connection);
    second.deliver();
    first.lose();
    expect(taken.map(({ isAlive }) => isAlive)).toEqual([false, true]);
    expect(reports.state).toBe('consuming');
  });

  it('closes a channel that it was told to replace once all of it is settled', async () => {
    const { promise: end, resolve: endAll } = Promise.withResolvers<void>();
    const reports = consumerOf(() => end);
    const first = scriptedChannel();
    first.answerQos();
    await reports.attach(first.connection);
    first.deliver();
    reports.reset('deaf');
    await jest.advanceTimersByTimeAsync(0);
    expect([first.cancelled, first.isClosed()]).toEqual([['tag-1'], false]);
    endAll();
    await jest.advanceTimersByTimeAsync(0);
    expect(first.isClosed()).toBe(true);
  });

  it('holds no timer once it is told to stop while it pauses', async () => {
    const reports = consumerOf();
    const { connection, answerQos } = scriptedChannel();
    answerQos();
    await reports.attach(connection);
    await reports.pause(PAUSE_MS);
    expect(jest.getTimerCount()).toBe(1);
    await reports.drain(0);
    expect(jest.getTimerCount()).toBe(0);
  });
});
