import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';

import { consumerOf, scriptedChannel } from './queue-consumer.fixture.ts';

const FIRST = 64;
const PREFETCH = 2_048;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A consumer of a process that has just started. */
async function started(end: Promise<void> = Promise.resolve()) {
  const consumer = consumerOf(() => end, { prefetch: PREFETCH });
  const channel = scriptedChannel();
  channel.answerQos();
  await consumer.attach(channel.connection);
  return { consumer, channel };
}

it('takes 64 messages first, and the rest of its prefetch when as many are settled', async () => {
  const { channel } = await started();
  for (let message = 0; message < 2 * FIRST - 1; message += 1) channel.deliver();
  await jest.advanceTimersByTimeAsync(0);
  expect(channel.prefetches).toEqual([FIRST]);
  channel.deliver();
  await jest.advanceTimersByTimeAsync(0);
  expect(channel.prefetches).toEqual([FIRST, PREFETCH - FIRST]);
});

it('takes the rest after two seconds, though nothing is settled', async () => {
  const { channel } = await started(new Promise(() => undefined));
  channel.deliver();
  await jest.advanceTimersByTimeAsync(1_999);
  expect(channel.prefetches).toEqual([FIRST]);
  await jest.advanceTimersByTimeAsync(1);
  expect(channel.prefetches).toEqual([FIRST, PREFETCH - FIRST]);
});

it('takes all at once over the next connection', async () => {
  const { consumer, channel } = await started();
  channel.lose();
  const next = scriptedChannel();
  next.answerQos();
  await consumer.attach(next.connection);
  await jest.advanceTimersByTimeAsync(2_000);
  expect(next.prefetches).toEqual([PREFETCH]);
});
