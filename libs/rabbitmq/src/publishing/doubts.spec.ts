import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import type { PendingPublish } from './confirming-channel.ts';
import { Doubts } from './doubts.ts';
import { attach, messageTo } from './scripted-channel.fixture.ts';

const MAX_CHANNELS = 16;
const MAX_REMEMBERED = 1_000;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('destinations in doubt', () => {
  it('have at most 16 channels of their own; beyond, a refusal is believed at once', async () => {
    const { channel, channels, publish, pass } = await attach();
    const queues = Array.from({ length: MAX_CHANNELS + 1 }, (_, index) => `full ${index}`);
    const outcomes = queues.map(publish);
    queues.forEach((_, index) => channel.refuse(index));
    await pass(0);
    expect(channels).toHaveLength(1 + MAX_CHANNELS);
    expect(await outcomes.at(-1)).toBe('refused');
  });

  it('are remembered up to 1,000; beyond, the oldest one is published to with all others again', async () => {
    const doubts = new Doubts({
      openChannel: () => Promise.reject(new Error('not asked')),
      now: () => 0,
      answerTicks: 8,
      onLost: () => undefined,
    });
    const outcomes: string[] = [];
    const to = (queue: number): PendingPublish => ({
      message: messageTo(`queue ${queue}`),
      isWanted: () => true,
      resolve: (outcome) => outcomes.push(outcome),
      reject: () => undefined,
      losses: 0,
      isDone: false,
    });
    for (let queue = 0; queue <= MAX_REMEMBERED; queue += 1) doubts.unreachable(to(queue));
    expect([doubts.takes(to(0)), doubts.takes(to(1))]).toEqual([false, true]);
    expect(new Set(outcomes)).toEqual(new Set(['unanswered']));
  });
});
