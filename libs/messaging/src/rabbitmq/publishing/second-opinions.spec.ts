import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { attach } from './scripted-channel.fixture.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const queues = (count: number) => Array.from({ length: count }, (_, n) => `queue-${n}`);

/** A publisher that was refused by many queues at once, on the channel in use and on those that asked again. */
async function refusedBy(count: number) {
  const setting = await attach();
  const outcomes = queues(count).map(setting.publish);
  queues(count).forEach((_, index) => setting.channel.refuse(index));
  await setting.pass(0);
  return { ...setting, outcomes };
}

describe('SecondOpinions', () => {
  it('asks about sixteen queues at once; what the others refuse is believed', async () => {
    const { channels, outcomes } = await refusedBy(20);
    expect(channels.slice(1).map(({ queues: asked }) => asked)).toEqual(queues(16).map((queue) => [queue]));
    expect(await Promise.all(outcomes.slice(16))).toEqual(Array.from({ length: 4 }, () => 'refused'));
  });

  it('asks about the next ones when verdicts are there', async () => {
    const { channel, channels, publish, pass, outcomes } = await refusedBy(16);
    for (const asked of channels.slice(1)) asked.refuse(0);
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['refused']));
    const next = publish('another');
    channel.refuse(16);
    await pass(0);
    channels.at(-1)?.confirm(0);
    expect(await next).toBe('confirmed');
  });

  it('forgets the oldest of more than a thousand verdicts, and asks about it again', async () => {
    const { channel, channels, publish, pass } = await attach();
    const isRefused = async (queue: string): Promise<number> => {
      const opened = channels.length;
      const outcome = publish(queue);
      channel.refuse(channel.published.length - 1);
      await pass(0);
      if (channels.length > opened) channels.at(-1)?.refuse(0);
      expect(await outcome).toBe('refused');
      return channels.length - opened;
    };
    for (const queue of queues(1_000)) expect(await isRefused(queue)).toBe(1);
    expect(await isRefused('queue-0')).toBe(0);
    expect(await isRefused('one-more')).toBe(1);
    expect(await isRefused('queue-0')).toBe(1);
  });
});
