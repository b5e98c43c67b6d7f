import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { consumerOf, PAUSE_MS, scriptedChannel } from './queue-consumer.fixture.ts';
import type { QueueConsumer } from './queue-consumer.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a QueueConsumer after a pause', () => {
  let isServed: boolean;
  let end: Promise<void>;
  let channel: ReturnType<typeof scriptedChannel>;
  let reports: QueueConsumer;
  beforeEach(async () => {
    isServed = false;
    end = Promise.resolve();
    reports = consumerOf(() => end, { prefetch: 5, isServed: () => isServed });
    channel = scriptedChannel();
    channel.answerQos();
    await reports.attach(channel.connection);
    await reports.pause(PAUSE_MS);
    await jest.advanceTimersByTimeAsync(PAUSE_MS);
  });

  it('takes one at a time until one is settled and more can be served, then the rest as well', async () => {
    expect(channel.prefetches).toEqual([5, 1]);
    channel.deliver();
    await jest.advanceTimersByTimeAsync(PAUSE_MS);
    expect(channel.prefetches).toEqual([5, 1]);
    isServed = true;
    channel.deliver();
    await jest.advanceTimersByTimeAsync(0);
    expect(channel.prefetches).toEqual([5, 1, 4]);
    expect(channel.consumers).toHaveLength(3);
    channel.deliver();
    await jest.advanceTimersByTimeAsync(2 * PAUSE_MS);
    expect(channel.prefetches).toHaveLength(3);
  });

  it('takes the rest when it is told that more can be served, though what it took still goes on', async () => {
    end = new Promise(() => undefined);
    channel.deliver();
    reports.widenIfServed();
    expect(channel.prefetches).toEqual([5, 1]);
    isServed = true;
    reports.widenIfServed();
    await jest.advanceTimersByTimeAsync(0);
    expect(channel.prefetches).toEqual([5, 1, 4]);
  });

  it('takes the rest not before it has taken one', async () => {
    isServed = true;
    reports.widenIfServed();
    await jest.advanceTimersByTimeAsync(PAUSE_MS);
    expect(channel.prefetches).toEqual([5, 1]);
    channel.deliver();
    await jest.advanceTimersByTimeAsync(0);
    expect(channel.prefetches).toEqual([5, 1, 4]);
  });

  it('changes on events alone, and holds no timer', () => {
    expect(jest.getTimerCount()).toBe(0);
  });

  it('cancels the rest if it pauses again while the broker has not answered', async () => {
    isServed = true;
    channel.holdConsume();
    channel.deliver();
    await jest.advanceTimersByTimeAsync(0);
    await reports.pause(PAUSE_MS);
    expect(channel.cancelled).toEqual(['tag-1', 'tag-2']);
    channel.releaseConsume();
    await jest.advanceTimersByTimeAsync(0);
    expect(channel.cancelled).toEqual(['tag-1', 'tag-2', 'tag-3']);
    expect(reports.state).toBe('paused');
  });

  it('pauses again if that one fails, and tries one again', async () => {
    channel.deliver();
    await reports.pause(PAUSE_MS);
    expect(reports.state).toBe('paused');
    await jest.advanceTimersByTimeAsync(PAUSE_MS);
    expect(channel.prefetches).toEqual([5, 1, 1]);
    expect(reports.state).toBe('consuming');
  });
});
