import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { ConfirmedPublisher } from './confirmed-publisher.ts';
import { UnconfirmedError } from './publish-errors.ts';
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

  it('publishes again over the next connection what the one before had not confirmed, in its order', async () => {
    const { channel, next, publish } = await attach();
    const outcomes = Promise.all(['a', 'b'].map(publish));
    channel.return(1);
    channel.lose();
    const second = await next();
    expect(second.queues).toEqual(['a', 'b']);
    for (const index of [0, 1]) second.confirm(index);
    expect(await outcomes).toEqual(['confirmed', 'confirmed']);
  });

  it('gives up a message that loses every connection, and one that nobody wants any more', async () => {
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

  it('gives up a message that is too large for the broker, and nothing else: the connection stays', async () => {
    const { channel, channels, publisher, publish, givenUp, pass } = await attach();
    const large = { ...messageTo('a'), content: Buffer.alloc(101) };
    const refused = publisher.publish(large, ALWAYS);
    refused.catch(() => undefined);
    const other = publish('b');
    channel.lose(406, 'PRECONDITION_FAILED - message size 101 is larger than configured max size 100');
    await expect(refused).rejects.toThrow('The message has 101 bytes, and the broker takes 100');
    await pass(0);
    expect(channels[1]?.queues).toEqual(['b']);
    channels[1]?.confirm(0);
    expect(await other).toBe('confirmed');
    await expect(publisher.publish(large, ALWAYS)).rejects.toThrow('max_message_size');
    expect([channels[1]?.queues, givenUp]).toEqual([['b'], []]);
  });

  it('gives a message up after its time, though there is no connection', async () => {
    const late = new ConfirmedPublisher().publish(messageTo('a'), ALWAYS, 100);
    late.catch(() => undefined);
    await jest.advanceTimersByTimeAsync(100);
    await expect(late).rejects.toThrow('in 100 ms');
  });

  it('rejects what waits for a channel when it closes', async () => {
    const publisher = new ConfirmedPublisher();
    const waiting = publisher.publish(messageTo('a'), ALWAYS);
    publisher.close();
    await expect(waiting).rejects.toThrow(UnconfirmedError);
  });
});

describe('a publish that the channel in use refuses', () => {
  it('is tried on a channel of its own, as is what follows for its queue; all others stay where they are', async () => {
    const { channel, channels, publish, pass } = await attach();
    const outcome = publish('a');
    channel.refuse(0);
    await pass(0);
    expect(channels[1]?.queues).toEqual(['a']);
    channels[1]?.confirm(0);
    expect(await outcome).toBe('confirmed');
    void publish('b');
    void publish('a');
    expect([channel.queues, channels[1]?.queues]).toEqual([
      ['a', 'b'],
      ['a', 'a'],
    ]);
  });

  it('is refused if that one refuses it, too; what follows is asked there once, for five seconds', async () => {
    const { channel, channels, publish, pass } = await attach();
    const outcome = publish('full');
    channel.refuse(0);
    await pass(0);
    channels[1]?.refuse(0);
    expect(await outcome).toBe('refused');
    const second = publish('full');
    channels[1]?.refuse(1);
    expect(await second).toBe('refused');
    await pass(5_250);
    expect(channels[1]?.isClosed).toBe(true);
    void publish('full');
    expect(channel.queues).toEqual(['full', 'full']);
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
    const again = announce('b');
    channels[1]?.refuse(1);
    expect(await again).toBe('refused');
    expect([channels.length, channel.queues]).toEqual([2, ['a']]);
  });

  it('is published again over the next connection if this one is lost while it is asked about', async () => {
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

describe('a channel that the broker closes', () => {
  it('has each of its messages published alone: the one that closes its channel again fails, by itself', async () => {
    const { channel, channels, publish, pass, givenUp } = await attach();
    const [good, bad, behind] = ['good', 'bad', 'behind'].map(publish);
    bad?.catch(() => undefined);
    channel.lose(406, 'PRECONDITION_FAILED - user_id');
    const alone = async (queue: string): Promise<(typeof channels)[0]> => {
      await pass(0);
      expect(channels.at(-1)?.queues).toEqual([queue]);
      return channels.at(-1)!;
    };
    (await alone('good')).confirm(0);
    expect(await good).toBe('confirmed');
    (await alone('bad')).lose(406, 'PRECONDITION_FAILED - user_id');
    await expect(bad).rejects.toMatchObject({ name: 'PublishRefusedError', code: 406 });
    (await alone('behind')).confirm(0);
    expect(await behind).toBe('confirmed');
    expect(givenUp).toEqual([]);
  });

  it('is blamed on the exchange that the broker names; all others are published again at once', async () => {
    const { publisher, channel, channels, publish, pass } = await attach();
    const event = publisher.publish(messageTo('e', 'events'), ALWAYS);
    event.catch(() => undefined);
    const other = publish('a');
    channel.lose(404, "NOT_FOUND - no exchange 'events' in vhost '/'");
    await pass(0);
    const byQueue = (queue: string) => channels.slice(1).find(({ queues }) => queues.includes(queue));
    byQueue('a')?.confirm(0);
    expect(await other).toBe('confirmed');
    byQueue('e')?.lose(404, "NOT_FOUND - no exchange 'events' in vhost '/'");
    await expect(event).rejects.toMatchObject({ code: 404, exchange: 'events' });
  });

  it('has its message, and what follows for its exchange, wait until that was put right', async () => {
    let repaired = (_isRepaired: boolean): void => undefined;
    const { channel, channels, publish, pass } = await attach({
      onRefused: () => new Promise((resolve) => (repaired = resolve)),
    });
    const outcome = publish('a');
    channel.lose(403, "ACCESS_REFUSED - write access to exchange 'amq.default' in vhost '/' refused");
    await pass(0);
    channels
      .at(-1)
      ?.lose(403, "ACCESS_REFUSED - write access to exchange 'amq.default' in vhost '/' refused");
    await pass(0);
    const next = publish('b');
    await pass(60_000);
    expect(channels.flatMap(({ queues }) => queues)).toEqual([]);
    repaired(true);
    await pass(0);
    const inUse = channels.find(({ queues }) => queues.length > 0);
    expect(inUse?.queues).toEqual(['a', 'b']);
    for (const index of [0, 1]) inUse?.confirm(index);
    expect([await outcome, await next]).toEqual(['confirmed', 'confirmed']);
  });
});
