import type { ChannelModel } from 'amqplib';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { whenDeaf } from './when-deaf.ts';

const TWO_LOOKS_MS = 2_800;

/** Messages that the consumer was given; `undefined` while none need come. */
let received: number | undefined;
/** Messages in the queue; `undefined` if there is no queue. */
let ready: number | undefined;
let isDeaf: boolean;
let open: number;
let ending: AbortController;

beforeEach(() => {
  jest.useFakeTimers();
  [received, ready, isDeaf, open, ending] = [7, 1, false, 0, new AbortController()];
  whenDeaf(
    { createChannel } as unknown as ChannelModel,
    'poker.interactive',
    () => 1_000,
    () => received,
    ending.signal,
  ).catch(() => (isDeaf = !ending.signal.aborted));
});
afterEach(() => {
  ending.abort();
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
    throw Object.assign(new Error('NOT_FOUND'), { code: 404 });
  };
  return Promise.resolve({ on: () => undefined, checkQueue, close });
};
const watchFor = (durationMs: number) => jest.advanceTimersByTimeAsync(durationMs);

describe('whenDeaf', () => {
  it('finds a consumer that got nothing between two looks while its queue held messages', async () => {
    await watchFor(TWO_LOOKS_MS);
    expect([isDeaf, open]).toEqual([true, 0]);
  });

  it('lets one be that need not get anything', async () => {
    received = undefined;
    await watchFor(2 * TWO_LOOKS_MS);
    expect(isDeaf).toBe(false);
  });

  it('lets one be that got something, or whose queue is empty', async () => {
    await watchFor(TWO_LOOKS_MS / 4);
    received = 8;
    ready = 0;
    await watchFor(2 * TWO_LOOKS_MS);
    expect(isDeaf).toBe(false);
  });

  it('goes on after the queue had gone for a while', async () => {
    ready = undefined;
    await watchFor(2 * TWO_LOOKS_MS);
    expect(isDeaf).toBe(false);
    ready = 1;
    await watchFor(TWO_LOOKS_MS);
    expect([isDeaf, open]).toEqual([true, 0]);
  });

  it('looks no more once it is ended', async () => {
    ending.abort();
    await watchFor(2 * TWO_LOOKS_MS);
    expect(isDeaf).toBe(false);
  });
});
