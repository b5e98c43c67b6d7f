import { describe, expect, it, jest } from '@jest/globals';

import { ConfirmedPublisher } from './confirmed-publisher.ts';
import { DirectReplies } from './direct-replies.ts';
import { messageTo } from '../outgoing-message.fixture.ts';
import { UnconfirmedError } from '../outgoing-message.ts';
import { attach } from './scripted-channel.fixture.ts';

const SECONDS = 1_000;

describe('ConfirmedPublisher', () => {
  it('matches a return to its publish even if others with the same id are confirmed before it', async () => {
    const { channel, publish } = await attach();
    const outcomes = Promise.all(['there', 'gone', 'gone', 'there'].map(publish));
    channel.return(1);
    channel.return(2);
    for (const index of [0, 1, 2, 3]) channel.confirm(index);
    expect(await outcomes).toEqual(['confirmed', 'returned', 'returned', 'confirmed']);
  });

  it('republishes unconfirmed messages in order over the next connection', async () => {
    const { channel, next, publish } = await attach();
    const outcomes = Promise.all(['a', 'b'].map(publish));
    channel.return(1);
    channel.lose();
    const second = await next();
    expect(second.queues).toEqual(['a', 'b']);
    for (const index of [0, 1]) second.confirm(index);
    expect(await outcomes).toEqual(['confirmed', 'confirmed']);
  });

  it('gives up a message that loses every connection, and a canceled one', async () => {
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

  it('rejects messages that wait for a connection when it closes', async () => {
    const publisher = new ConfirmedPublisher();
    const waiting = publisher.publish(messageTo('a'));
    publisher.close();
    await expect(waiting).rejects.toThrow(UnconfirmedError);
  });
});

it('DirectReplies gives up a reply after ten seconds without a connection', async () => {
  const direct = new DirectReplies({ name: 'spec', urls: [] });
  const late = direct.publish(messageTo('amq.rabbitmq.reply-to.a.b'), () => true);
  late.catch(() => undefined);
  await jest.advanceTimersByTimeAsync(11 * SECONDS);
  await expect(late).rejects.toThrow(UnconfirmedError);
  await direct.close();
  expect(jest.getTimerCount()).toBe(0);
});

describe('ConfirmedPublisher on a connection without a confirm', () => {
  it('drops it after five seconds', async () => {
    const { publish, pass, givenUp } = await attach();
    for (const queue of ['a', 'b', 'c']) void publish(queue);
    await pass(3 * SECONDS);
    void publish('d');
    await pass(1.5 * SECONDS);
    expect(givenUp).toEqual([]);
    await pass(1 * SECONDS);
    expect(givenUp).toEqual([expect.stringContaining('confirms nothing of what is published')]);
  });

  it('keeps it while the broker is under an alarm', async () => {
    const { broker, channel, channels, publish, pass, givenUp } = await attach();
    broker.model.emit('blocked', 'memory');
    const blocked = publish('a');
    await pass(60 * SECONDS);
    expect([channels.length, givenUp]).toEqual([1, []]);
    broker.model.emit('unblocked');
    channel.confirm(0);
    expect(await blocked).toBe('confirmed');
  });

  it('keeps it while other messages are answered', async () => {
    const { channels, publish, pass, givenUp } = await attach();
    void publish('stuck');
    for (let second = 0; second < 20; second += 1) {
      const outcome = publish('well');
      await pass(0);
      for (const channel of channels)
        channel.queues.forEach((queue, index) => queue === 'well' && channel.confirm(index));
      expect(await outcome).toBe('confirmed');
      await pass(1 * SECONDS);
    }
    expect(givenUp).toEqual([]);
  });

  it('drops it after eight seconds without a confirmed probe, even if other queues confirm', async () => {
    const onSilence = jest.fn();
    const { broker, publish, pass, givenUp } = await attach({ probe: messageTo('probe'), onSilence });
    broker.confirmed.add('well');
    await pass(20 * SECONDS);
    broker.confirmed.delete('probe');
    for (let second = 0; second < 5; second += 1) {
      expect(await publish('well')).toBe('confirmed');
      await pass(1 * SECONDS);
    }
    expect(givenUp).toEqual([]);
    await pass(5 * SECONDS);
    expect(givenUp).toEqual([expect.stringContaining('cut off from the majority')]);
    expect(onSilence).toHaveBeenCalledTimes(1);
  });

  it('uses it only after a probe is confirmed, on a second channel if the first hangs', async () => {
    const { broker, channels, next, publish, pass } = await attach({ probe: messageTo('probe') });
    broker.confirmed.delete('probe');
    channels.at(-1)?.lose();
    const attached = next();
    const outcome = publish('a');
    await pass(1 * SECONDS);
    expect(channels.flatMap(({ queues }) => queues)).not.toContain('a');
    broker.confirmed.add('probe').add('a');
    await pass(2 * SECONDS);
    await attached;
    expect(await outcome).toBe('confirmed');
  });
});
