import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { ConfirmedPublisher, UnconfirmedError } from './confirmed-publisher.ts';
import { attach, messageTo } from './scripted-channel.fixture.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const ALWAYS = () => true;

describe('ConfirmedPublisher', () => {
  it('matches a return to its own publish, though others under the same id are confirmed before it', async () => {
    const { channel, publish } = await attach();
    const outcomes = Promise.all(['there', 'gone', 'gone', 'there'].map(publish));
    channel.return(1);
    channel.return(2);
    for (const index of [0, 1, 2, 3]) channel.confirm(index);
    expect(await outcomes).toEqual(['confirmed', 'returned', 'returned', 'confirmed']);
  });

  it('publishes again on the next channel what the one before had not confirmed, in its order', async () => {
    const { channel, next, publish } = await attach();
    const outcomes = Promise.all(['a', 'b'].map(publish));
    channel.return(1);
    channel.lose();
    const second = await next();
    expect(second.queues).toEqual(['a', 'b']);
    for (const index of [0, 1]) second.confirm(index);
    expect(await outcomes).toEqual(['confirmed', 'confirmed']);
  });

  it('gives up a message that closes every channel, and one that nobody wants any more', async () => {
    const { publisher, channel, next, publish } = await attach();
    const poison = publish('a');
    poison.catch(() => undefined);
    const unwanted = publisher.publish(messageTo('b'), () => channel.published.length > 0);
    unwanted.catch(() => undefined);
    let lost = channel;
    for (let left = 25; left > 0; left -= 1) {
      lost.lose();
      lost = await next();
    }
    await expect(poison).rejects.toThrow(UnconfirmedError);
    await expect(unwanted).rejects.toThrow(UnconfirmedError);
  });

  it('gives up the connection if the channel in use closes, and with it whatever was published', async () => {
    const { channel, publish, givenUp } = await attach();
    void publish('a');
    channel.lose();
    expect(givenUp).toEqual(['the publishing channel was closed']);
  });

  it('gives up a message that is too large for the broker, and nothing else: the connection stays', async () => {
    const { channel, channels, publisher, publish, givenUp, pass } = await attach();
    const large = { ...messageTo('a'), content: Buffer.alloc(101) };
    const refused = publisher.publish(large, ALWAYS);
    refused.catch(() => undefined);
    const other = publish('b');
    channel.lose('PRECONDITION_FAILED - message size 101 is larger than configured max size 100');
    await expect(refused).rejects.toThrow('The message has 101 bytes, and the broker takes 100');
    await pass(0);
    expect(channels[1]?.queues).toEqual(['b']);
    channels[1]?.confirm(0);
    expect(await other).toBe('confirmed');
    await expect(publisher.publish(large, ALWAYS)).rejects.toThrow('max_message_size');
    expect([channels[1]?.queues, givenUp]).toEqual([['b'], []]);
  });

  it('rejects what waits for a channel when it closes', async () => {
    const publisher = new ConfirmedPublisher();
    const waiting = publisher.publish(messageTo('a'), ALWAYS);
    publisher.close();
    await expect(waiting).rejects.toThrow(UnconfirmedError);
  });
});

describe('a publish that the channel in use refuses', () => {
  it('is tried on a fresh channel, which all use from then on if it is confirmed there', async () => {
    const { channel, channels, publish, pass } = await attach();
    const outcome = publish('a');
    channel.refuse(0);
    await pass(0);
    expect(channels[1]?.queues).toEqual(['a']);
    channels[1]?.confirm(0);
    expect(await outcome).toBe('confirmed');
    void publish('b');
    expect([channel.queues, channels[1]?.queues]).toEqual([['a'], ['a', 'b']]);
    await pass(0);
    expect(channel.isClosed).toBe(true);
  });

  it('leaves what others have on the channel that refused it alone', async () => {
    const { channel, channels, publish, pass } = await attach();
    const [refused, other] = [publish('a'), publish('b')];
    channel.refuse(0);
    await pass(0);
    channels[1]?.confirm(0);
    await refused;
    await pass(0);
    expect(channel.isClosed).toBe(false);
    channel.confirm(1);
    expect(await other).toBe('confirmed');
    await pass(0);
    expect(channel.isClosed).toBe(true);
    expect(channels[1]?.queues).toEqual(['a']);
  });

  it('is refused if the fresh channel refuses it, too, and all others stay where they are', async () => {
    const { channel, channels, publish, pass } = await attach();
    const outcome = publish('full');
    channel.refuse(0);
    await pass(0);
    channels[1]?.refuse(0);
    expect(await outcome).toBe('refused');
    await pass(0);
    expect(channels[1]?.isClosed).toBe(true);
    void publish('b');
    expect(channel.queues).toEqual(['full', 'b']);
  });

  it('is refused at once while the same was heard from two channels, and asked about again half a second later', async () => {
    const { channel, channels, publish, pass } = await attach();
    void publish('full');
    channel.refuse(0);
    await pass(0);
    channels[1]?.refuse(0);
    const second = publish('full');
    channel.refuse(1);
    expect(await second).toBe('refused');
    await pass(500);
    const third = publish('full');
    channel.refuse(2);
    await pass(0);
    channels[2]?.confirm(0);
    expect(await third).toBe('confirmed');
    expect(channels).toHaveLength(3);
  });

  it('is asked about once for all that go to the same queue meanwhile', async () => {
    const { channel, channels, publish, pass } = await attach();
    const outcomes = Promise.all([publish('a'), publish('a')]);
    channel.refuse(0);
    channel.refuse(1);
    const later = publish('a');
    await pass(0);
    expect(channels).toHaveLength(2);
    expect(channels[1]?.queues).toEqual(['a', 'a', 'a']);
    for (const index of [0, 1, 2]) channels[1]?.confirm(index);
    expect([await outcomes, await later]).toEqual([['confirmed', 'confirmed'], 'confirmed']);
  });

  it('counts for its exchange, whatever the routing key', async () => {
    const { publisher, channel, channels, pass } = await attach();
    const announce = (key: string) => publisher.publish(messageTo(key, 'events'), ALWAYS);
    void announce('a');
    channel.refuse(0);
    await pass(0);
    channels[1]?.refuse(0);
    await pass(4_000);
    const again = announce('b');
    channel.refuse(1);
    expect(await again).toBe('refused');
    expect(channels).toHaveLength(2);
  });

  it('is published again over the next connection if this one is lost while the fresh channel is asked', async () => {
    const { channel, channels, next, publish, pass } = await attach();
    const outcome = publish('a');
    channel.refuse(0);
    await pass(0);
    channel.lose();
    channels[1]?.lose();
    const after = await next();
    expect(after.queues).toEqual(['a']);
    after.confirm(0);
    expect(await outcome).toBe('confirmed');
  });
});
