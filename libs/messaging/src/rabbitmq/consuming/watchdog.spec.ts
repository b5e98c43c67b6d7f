import type { ChannelModel } from 'amqplib';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import type { QueueConsumer } from './queue-consumer.ts';
import { Watchdog } from './watchdog.ts';

const TWO_LOOKS_MS = 2_800;

let consumer: { queue: string; state: string; inFlight: number; deliveries: number };
/** Messages in the queue; `undefined` if there is no queue. */
let ready: number | undefined;
let deaf: unknown[];
let open: number;
let watchdog: Watchdog;

beforeEach(() => {
  jest.useFakeTimers();
  consumer = { queue: 'poker.interactive', state: 'consuming', inFlight: 0, deliveries: 7 };
  ready = 1;
  deaf = [];
  open = 0;
  watchdog = new Watchdog([consumer as unknown as QueueConsumer], (found) => deaf.push(found));
  watchdog.watch({ createChannel } as unknown as ChannelModel);
});
afterEach(() => {
  watchdog.stop();
  jest.useRealTimers();
});

const createChannel = () => {
  open += 1;
  let isOpen = true;
  const close = async () => {
    if (isOpen) open -= 1;
    isOpen = false;
  };
  const checkQueue = async () => {
    if (ready !== undefined) return { messageCount: ready };
    await close();
    throw new Error('NOT_FOUND');
  };
  return Promise.resolve({ on: () => undefined, checkQueue, close });
};
const watchFor = (durationMs: number) => jest.advanceTimersByTimeAsync(durationMs);

describe('Watchdog', () => {
  it('finds a consumer that got nothing between two looks while its queue held messages', async () => {
    await watchFor(TWO_LOOKS_MS);
    expect(deaf).toEqual([consumer]);
    expect(open).toBe(0);
  });

  it.each([
    ['has something in flight', { inFlight: 1 }],
    ['pauses', { state: 'paused' }],
    ['waits for the broker', { state: 'waiting for the broker' }],
  ])('lets one be that %s', async (_, facts) => {
    Object.assign(consumer, facts);
    await watchFor(2 * TWO_LOOKS_MS);
    expect(deaf).toEqual([]);
  });

  it('lets one be that got something, or whose queue is empty', async () => {
    await watchFor(TWO_LOOKS_MS / 2);
    consumer.deliveries += 1;
    await watchFor(TWO_LOOKS_MS / 2);
    ready = 0;
    await watchFor(2 * TWO_LOOKS_MS);
    expect(deaf).toEqual([]);
  });

  it('goes on after the queue had gone for a while', async () => {
    ready = undefined;
    await watchFor(2 * TWO_LOOKS_MS);
    expect(deaf).toEqual([]);
    ready = 1;
    await watchFor(TWO_LOOKS_MS);
    expect(deaf).toContain(consumer);
    expect(open).toBe(0);
  });

  it('looks no more once it is stopped', async () => {
    watchdog.stop();
    await watchFor(2 * TWO_LOOKS_MS);
    expect(deaf).toEqual([]);
  });
});
