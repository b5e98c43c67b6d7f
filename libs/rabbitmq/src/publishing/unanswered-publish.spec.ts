import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { attach } from './scripted-channel.fixture.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a publish that stays without an answer', () => {
  const SECONDS = 1_000;
  /** What a broker takes to open a channel that has just come back. */
  const SLOW_MS = 700;

  it('is waited for twice as long on a channel that has answered before', async () => {
    const { channel, channels, publish, pass } = await attach();
    void publish('a');
    channel.confirm(0);
    void publish('a');
    await pass(2 * SECONDS);
    expect(channels).toHaveLength(1);
    await pass(0.5 * SECONDS);
    expect(channels.length).toBeGreaterThan(1);
  });

  it('is published again on a channel of its own, and all others on another one', async () => {
    const { channel, channels, publish, pass } = await attach();
    const stuck = publish('a');
    await pass(3 * SECONDS);
    const [own, inUse] = channels.slice(1).toSorted((one) => (one.queues.includes('a') ? -1 : 1));
    expect([own?.queues, inUse?.queues]).toEqual([['a'], []]);
    void publish('b');
    expect([channel.queues, inUse?.queues]).toEqual([['a'], ['b']]);
    own?.confirm(0);
    expect(await stuck).toBe('confirmed');
  });

  it('is unanswered if the second channel does not answer either, and so is what follows for five seconds', async () => {
    const { channels, publish, pass } = await attach();
    const stuck = publish('a');
    await pass(5 * SECONDS);
    expect(await stuck).toBe('unanswered');
    const opened = channels.length;
    expect(await publish('a')).toBe('unanswered');
    await pass(5 * SECONDS);
    const later = publish('a');
    await pass(0);
    const asked = channels.at(-1);
    expect([channels.length, asked?.queues]).toEqual([opened + 1, ['a']]);
    asked?.confirm(0);
    expect(await later).toBe('confirmed');
  });

  it('is published again over the next connection if this one is lost before the second channel was asked', async () => {
    const { broker, channel, channels, next, publish, pass } = await attach();
    broker.opensAfterMs = SLOW_MS;
    const stuck = publish('a');
    await pass(2_100);
    broker.opensAfterMs = 0;
    const opened = [...channels];
    expect(opened.slice(1).flatMap(({ queues }) => queues)).toEqual([]);
    for (const lost of [channel, ...opened]) lost.lose();
    const after = await next();
    expect(after.queues).toEqual(['a']);
    after.confirm(0);
    expect(await stuck).toBe('confirmed');
  });

  it('is confirmed by the first channel that does so, however late', async () => {
    const { channel, publish, pass } = await attach();
    const stuck = publish('a');
    await pass(3 * SECONDS);
    channel.confirm(0);
    expect(await stuck).toBe('confirmed');
  });

  it('is not published again if a broker that comes back confirms it on the first channel', async () => {
    const { broker, channel, channels, publish, pass } = await attach();
    broker.opensAfterMs = SLOW_MS;
    const stuck = publish('a');
    await pass(2_100);
    expect(channels.length).toBeGreaterThan(1);
    channel.confirm(0);
    expect(await stuck).toBe('confirmed');
    await pass(1 * SECONDS);
    expect(channels.slice(1).map(({ queues }) => queues)).toEqual([[], []]);
    const next = publish('a');
    channels
      .flatMap((each) => each.published)
      .at(-1)
      ?.answer(null);
    expect(await next).toBe('confirmed');
  });

  it('has the connection given up after five seconds without a confirm for anybody', async () => {
    const { publish, pass, givenUp } = await attach();
    for (const queue of ['a', 'b', 'c']) void publish(queue);
    await pass(3 * SECONDS);
    void publish('d');
    await pass(1.5 * SECONDS);
    expect(givenUp).toEqual([]);
    await pass(1 * SECONDS);
    expect(givenUp).toEqual(['the broker confirms nothing of what is published']);
  });

  it('has the connection kept while others are answered', async () => {
    const { channels, publish, pass, givenUp } = await attach();
    void publish('stuck');
    for (let second = 0; second < 20; second += 1) {
      const outcome = publish('well');
      await pass(0);
      for (const channel of channels) {
        channel.queues.forEach((queue, index) => queue === 'well' && channel.confirm(index));
      }
      expect(await outcome).toBe('confirmed');
      await pass(1 * SECONDS);
    }
    expect(givenUp).toEqual([]);
  });

  it('is waited for while the broker is under an alarm', async () => {
    const { broker, channel, channels, publish, pass, givenUp } = await attach();
    broker.isBlocked = true;
    const blocked = publish('a');
    await pass(60 * SECONDS);
    expect([channels.length, givenUp]).toEqual([1, []]);
    broker.isBlocked = false;
    channel.confirm(0);
    expect(await blocked).toBe('confirmed');
  });
});
