import { describe, expect, it, jest } from '@jest/globals';

import type { Delivery } from './delivery.ts';
import { consumerOf, pass, PAUSE_MS } from './queue-consumer.fixture.ts';

const FIRST = 64;
const PREFETCH = 2_048;
const NEVER = () => new Promise<void>(() => undefined);

describe('QueueConsumer', () => {
  it('recreates the consumer when the broker cancels it or closes its channel', async () => {
    const { consumer, lost, next } = consumerOf();
    (await next()).cancelByBroker();
    await pass(0);
    expect(consumer.state).toBe('waiting for the broker');
    (await next()).lose();
    const third = await next();
    expect([third.prefetches, consumer.state]).toEqual([[1], 'consuming']);
    expect(lost).toEqual([
      'the broker cancelled the consumer: its queue was deleted or moved, or consumer_timeout has passed',
      'the channel was closed',
    ]);
  });

  it('recreates a consumer that gets nothing from a non-empty queue, after twice as long each time', async () => {
    const { lost, next, consumer } = consumerOf();
    const recreatedAfterMs = async (): Promise<number> => {
      await next();
      const startedAtMs = Date.now();
      while (consumer.state === 'consuming') await pass(100);
      return Math.round((Date.now() - startedAtMs + 300) / 1_500);
    };
    expect([await recreatedAfterMs(), await recreatedAfterMs(), await recreatedAfterMs()]).toEqual([1, 2, 4]);
    (await next()).deliver();
    while (consumer.state === 'consuming') await pass(100);
    expect(await recreatedAfterMs()).toBe(2);
    expect(new Set(lost)).toEqual(new Set(['its queue holds messages, and none came']));
  });

  it('recreates a consumer whose channel hangs if another channel reports messages', async () => {
    const { lost, next } = consumerOf();
    (await next()).hang();
    await pass(4_000);
    expect(lost).toEqual(['its queue holds messages, and none came']);
  });

  it('consumes nothing while held, and resumes afterwards', async () => {
    const { next, consumer } = consumerOf();
    consumer.hold(true);
    const channel = await next();
    expect([channel.prefetches, consumer.state]).toEqual([[], 'waiting for the broker']);
    consumer.hold(false);
    await pass(0);
    expect([channel.prefetches, consumer.state]).toEqual([[1], 'consuming']);
    consumer.hold(true);
    await pass(0);
    expect([channel.cancelled, consumer.state]).toEqual([['consumer-1'], 'waiting for the broker']);
  });

  it('resumes after a pause during which its channel was replaced', async () => {
    let limit = 0;
    const { next, consumer } = consumerOf(() => Promise.resolve(), { limit: () => limit });
    const first = await next();
    first.deliver();
    await pass(0);
    first.lose();
    const second = await next();
    expect([second.prefetches, consumer.state]).toEqual([[], 'paused']);
    limit = 1;
    await pass(PAUSE_MS);
    expect([second.prefetches, consumer.state]).toEqual([[1], 'consuming']);
  });

  it('cancels a consumer that is being created when it drains, and requeues its deliveries', async () => {
    const taken: Delivery[] = [];
    const { next, consumer } = consumerOf(async (delivery) => void taken.push(delivery));
    const first = await next();
    first.lose();
    await pass(0);
    const second = await next();
    second.deliver();
    await pass(0);
    consumer.hold(true);
    await pass(0);
    second.holdConsume();
    consumer.hold(false);
    await pass(0);
    expect(consumer.state).toBe('waiting for the broker');
    const drained = consumer.drain(0);
    second.deliver();
    second.releaseConsume();
    await drained;
    await pass(0);
    expect([second.requeued(), taken.length, consumer.state]).toEqual([1, 1, 'stopped']);
    expect(second.cancelled).toContain('consumer-2');
  });

  it.each([400, 2_000])('closes a channel that opens %i ms after it was stopped', async (opensAfterMs) => {
    const { next, consumer } = consumerOf(undefined, { opensAfterMs });
    const channel = await next();
    await consumer.drain(0);
    await pass(3_000);
    expect(channel.isClosed()).toBe(true);
  });

  it('stops consuming while messages of three lost channels are in flight', async () => {
    let endAll = (): void => undefined;
    const end = new Promise<void>((resolve) => (endAll = resolve));
    const { next, consumer } = consumerOf(() => end);
    for (let times = 0; times < 3; times += 1) {
      const channel = await next();
      channel.deliver();
      channel.lose();
      await pass(0);
    }
    const last = await next();
    expect([last.prefetches, consumer.inFlight, consumer.state]).toEqual([[], 3, 'paused']);
    endAll();
    await pass(0);
    expect([last.prefetches, consumer.state]).toEqual([[1], 'consuming']);
  });

  it('closes a replaced channel after its last delivery is settled', async () => {
    let end = (): void => undefined;
    const { next } = consumerOf(() => new Promise((resolve) => (end = resolve)));
    const first = await next();
    first.deliver();
    first.cancelByBroker();
    await pass(0);
    expect([first.cancelled, first.isClosed()]).toEqual([['consumer-1'], false]);
    end();
    await pass(0);
    expect(first.isClosed()).toBe(true);
  });
});

describe('QueueConsumer with a limit', () => {
  let limit: number;
  let end: Promise<void>;
  const paused = async () => {
    limit = 0;
    end = Promise.resolve();
    const { consumer, next } = consumerOf(() => end, { prefetch: 5, limit: () => limit });
    const channel = await next();
    channel.deliver();
    await pass(0);
    return { consumer, channel };
  };

  it('pauses when a settled delivery shows that no more can be served', async () => {
    const { channel, consumer } = await paused();
    expect(channel.cancelled).toEqual(['consumer-1']);
    await pass(PAUSE_MS);
    expect({ prefetches: channel.prefetches, state: consumer.state }).toEqual({
      prefetches: [5],
      state: 'paused',
    });
  });

  it('takes one message at a time until more can be served', async () => {
    const { channel } = await paused();
    limit = 1;
    await pass(PAUSE_MS);
    expect(channel.prefetches).toEqual([5, 1]);
    channel.deliver();
    await pass(PAUSE_MS);
    expect(channel.prefetches).toEqual([5, 1]);
    limit = Infinity;
    channel.deliver();
    await pass(0);
    expect(channel.prefetches).toEqual([5, 1, 4]);
  });

  it('raises the prefetch when more can be served, even while a delivery is in flight', async () => {
    const { channel } = await paused();
    limit = 1;
    await pass(PAUSE_MS);
    end = NEVER();
    channel.deliver();
    limit = Infinity;
    await pass(PAUSE_MS);
    expect(channel.prefetches).toEqual([5, 1, 4]);
  });

  it('pauses again if the probe fails, and then probes again', async () => {
    const { channel, consumer } = await paused();
    limit = 1;
    await pass(PAUSE_MS);
    limit = 0;
    channel.deliver();
    await pass(0);
    expect(consumer.state).toBe('paused');
    limit = 1;
    await pass(PAUSE_MS);
    expect(channel.prefetches).toEqual([5, 1, 1]);
    expect(consumer.state).toBe('consuming');
  });

  it('checks its limit no more once it drains', async () => {
    const asked = jest.fn(() => 0);
    const { consumer, next } = consumerOf(() => Promise.resolve(), { limit: asked });
    (await next()).deliver();
    await pass(PAUSE_MS);
    expect(asked.mock.calls.length).toBeGreaterThan(1);
    await consumer.drain(0);
    asked.mockClear();
    await pass(PAUSE_MS);
    expect(asked).not.toHaveBeenCalled();
  });
});

describe('QueueConsumer in a new process', () => {
  it('takes 64 messages first, and its full prefetch after 64 are settled', async () => {
    const channel = await consumerOf(() => Promise.resolve(), { prefetch: PREFETCH }).next();
    for (let message = 0; message < 2 * FIRST - 1; message += 1) channel.deliver();
    await pass(0);
    expect(channel.prefetches).toEqual([FIRST]);
    channel.deliver();
    await pass(0);
    expect(channel.prefetches).toEqual([FIRST, PREFETCH - FIRST]);
  });

  it('takes its full prefetch after two seconds even if nothing is settled', async () => {
    const { next } = consumerOf(NEVER, { prefetch: PREFETCH });
    const channel = await next();
    channel.deliver();
    expect(channel.prefetches).toEqual([FIRST]);
    await pass(2_000);
    expect(channel.prefetches).toEqual([FIRST, PREFETCH - FIRST]);
    channel.lose();
    expect((await next()).prefetches).toEqual([PREFETCH]);
  });

  it('abandons a channel that does not answer in time when the prefetch is raised', async () => {
    const { next } = consumerOf(NEVER, { prefetch: PREFETCH });
    const channel = await next();
    channel.deliver();
    channel.holdConsume();
    await pass(4_000);
    expect(channel.cancelled).toHaveLength(2);
  });

  it('does not raise the prefetch of a channel that is lost', async () => {
    const { next } = consumerOf(NEVER, { prefetch: PREFETCH });
    const channel = await next();
    channel.deliver();
    channel.cancelByBroker();
    await pass(2_000);
    expect(channel.prefetches).toEqual([FIRST]);
  });
});
