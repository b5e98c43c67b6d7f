import { describe, expect, it } from '@jest/globals';

import { messageTo } from '../outgoing-message.fixture.ts';
import { attach } from './scripted-channel.fixture.ts';

const SECONDS = 1_000;
/** How long a recovering broker takes to open a channel. */
const SLOW_MS = 700;
const MAX_ASKED = 16;
const MAX_REMEMBERED = 1_000;

describe('IsolatedPublisher, for a message that its queue refuses', () => {
  it('republishes it alone, before later messages for its queue', async () => {
    const { channel, channels, publish, pass } = await attach();
    const outcomes = Promise.all([publish('a'), publish('a')]);
    channel.refuse(0);
    channel.refuse(1);
    void publish('b');
    await pass(0);
    expect(channels.map(({ queues }) => queues)).toEqual([['a', 'a', 'b'], ['a']]);
    channels[1]?.confirm(0);
    await pass(0);
    expect([channel.queues, channels[1]?.isClosed]).toEqual([['a', 'a', 'b', 'a'], true]);
    channel.confirm(3);
    expect(await outcomes).toEqual(['confirmed', 'confirmed']);
  });

  it.each([
    ['a queue', '', ['full', 'full']],
    ['an exchange', 'events', ['a key', 'another']],
  ])(
    'resolves `refused` after %s refuses on two channels, and remembers that for five seconds',
    async (_, exchange, keys) => {
      const { publisher, channel, channels, pass } = await attach();
      const publish = (key = '') => publisher.publish(messageTo(key, { exchange }));
      const outcome = publish(keys[0]);
      channel.refuse(0);
      await pass(0);
      channels[1]?.refuse(0);
      expect(await outcome).toBe('refused');
      const second = publish(keys[1]);
      channel.refuse(1);
      expect(await second).toBe('refused');
      expect(channels).toHaveLength(2);
      await pass(5.25 * SECONDS);
      void publish(keys[0]);
      channel.refuse(2);
      await pass(0);
      expect(channels[2]?.queues).toEqual([keys[0]]);
    },
  );

  it('refuses it at once while 16 other queues are being probed', async () => {
    const { channel, channels, publish, pass } = await attach();
    const queues = Array.from({ length: MAX_ASKED + 1 }, (_, index) => `full ${index}`);
    const outcomes = [...queues, 'full 0'].map(publish);
    outcomes.forEach((_, index) => channel.refuse(index));
    await pass(0);
    expect(channels).toHaveLength(1 + MAX_ASKED);
    expect(await outcomes[MAX_ASKED]).toBe('refused');
    channels[1]?.confirm(0);
    await pass(0);
    expect(channel.queues.slice(outcomes.length)).toEqual(['full 0']);
  });

  it('probes again after a thousand other queues have refused, the most that it remembers', async () => {
    const { channel, channels, publish, pass } = await attach();
    const opened = async (queue: string): Promise<number> => {
      const before = channels.length;
      const outcome = publish(queue);
      channel.refuse(channel.queues.length - 1);
      await pass(0);
      channels[before]?.refuse(0);
      expect(await outcome).toBe('refused');
      return channels.length - before;
    };
    for (let n = 0; n <= MAX_REMEMBERED; n += 1) expect(await opened(`full ${n}`)).toBe(1);
    expect([await opened('full 1'), await opened('full 0')]).toEqual([0, 1]);
  });

  it('republishes it over the next connection if this one is lost', async () => {
    const { channel, channels, next, publish, pass } = await attach();
    const outcome = publish('a');
    channel.refuse(0);
    await pass(0);
    for (const lost of channels) lost.lose();
    const after = await next();
    expect(after.queues).toEqual(['a']);
    after.confirm(0);
    expect(await outcome).toBe('confirmed');
  });
});

describe('IsolatedPublisher, for a channel that the broker closes', () => {
  it('holds its message and later ones for the exchange until the exchange is redeclared', async () => {
    const reason = "ACCESS_REFUSED - write access to exchange 'amq.default' in vhost '/' refused";
    let repaired = (_isRepaired: boolean): void => undefined;
    const { channel, channels, publish, pass } = await attach({
      onRefused: () => new Promise((resolve) => (repaired = resolve)),
    });
    const outcomes = [publish('a'), publish('b')];
    channel.lose(403, reason);
    await pass(0);
    channels.at(-1)?.lose(403, reason);
    await pass(0);
    outcomes.push(publish('c'));
    await pass(60 * SECONDS);
    expect(channels.flatMap(({ queues }) => queues)).toEqual([]);
    repaired(true);
    await pass(0);
    for (const each of channels) each.queues.forEach((_, index) => each.confirm(index));
    await pass(0);
    for (const each of channels) each.queues.forEach((_, index) => each.confirm(index));
    expect(await Promise.all(outcomes)).toEqual(['confirmed', 'confirmed', 'confirmed']);
  });
});

describe('IsolatedPublisher, for the other messages of such a channel', () => {
  it('republishes them one at a time, over the next connection if no channel opens', async () => {
    const { broker, channel, channels, next, publish, pass } = await attach();
    const outcomes = Promise.all([publish('a'), publish('b')]);
    Object.assign(broker.model, { createConfirmChannel: () => Promise.reject(new Error('closed')) });
    channel.lose(404);
    await pass(1 * SECONDS);
    await next();
    for (const queue of ['a', 'b']) {
      await pass(1 * SECONDS);
      const alone = channels.at(-1);
      expect(alone?.queues).toEqual([queue]);
      alone?.confirm(0);
    }
    expect(await outcomes).toEqual(['confirmed', 'confirmed']);
  });
});

describe('IsolatedPublisher, for a message that makes the broker close the connection', () => {
  it('refuses it after it has closed a connection alone, and publishes the others', async () => {
    const { broker, channels, next, publish, pass } = await attach();
    const close = async () => {
      Object.assign(broker.model, { createConfirmChannel: () => Promise.reject(new Error('closed')) });
      broker.model.emit('error', Object.assign(new Error('INTERNAL_ERROR'), { code: 541 }));
      for (const lost of channels) lost.lose();
      await next();
      await pass(1 * SECONDS);
    };
    const refused = publish('bad key');
    refused.catch(() => undefined);
    const other = publish('good');
    await close();
    expect(channels.map(({ queues }) => queues)).toEqual([[], ['bad key']]);
    await close();
    await expect(refused).rejects.toMatchObject({ code: 541 });
    const alone = channels.find(({ queues }) => queues.length > 0);
    expect(alone?.queues).toEqual(['good']);
    alone?.confirm(0);
    expect(await other).toBe('confirmed');
  });
});

describe('IsolatedPublisher, for an unanswered message', () => {
  it('waits twice as long on a channel that has answered before, and replaces it once', async () => {
    const { channel, channels, publish, pass } = await attach();
    void publish('a');
    channel.confirm(0);
    for (const queue of ['a', 'b', 'a', 'a']) {
      void publish(queue);
      await pass(0.5 * SECONDS);
    }
    expect(channels).toHaveLength(1);
    await pass(2 * SECONDS);
    expect(channels.map(({ isClosed }) => isClosed)).toEqual([false, false, false, false]);
  });

  it('republishes it alone, before later messages for its queue, and others on a new channel', async () => {
    const { channel, channels, publish, pass } = await attach();
    const stuck = publish('a');
    await pass(3 * SECONDS);
    const [own, inUse] = channels.slice(1).toSorted((one) => (one.queues.includes('a') ? -1 : 1));
    expect([own?.queues, inUse?.queues]).toEqual([['a'], []]);
    for (const queue of ['b', 'a']) void publish(queue);
    expect([channel.queues, inUse?.queues]).toEqual([['a'], ['b']]);
    own?.confirm(0);
    expect(await stuck).toBe('confirmed');
    await pass(0);
    expect(inUse?.queues).toEqual(['b', 'a']);
    expect(channel.isClosed).toBe(false);
    channel.confirm(0);
    expect(channel.isClosed).toBe(true);
  });

  it('reports it as unanswered after a second channel, and later messages for five seconds', async () => {
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

  it('republishes it over the next connection if this one is lost before the second channel opens', async () => {
    const { broker, channels, next, publish, pass } = await attach();
    broker.opensAfterMs = SLOW_MS;
    const stuck = publish('a');
    await pass(2_100);
    broker.opensAfterMs = 0;
    const opened = [...channels];
    expect(opened.slice(1).flatMap(({ queues }) => queues)).toEqual([]);
    for (const lost of opened) lost.lose();
    await next();
    await pass(1 * SECONDS);
    const after = channels.find(({ queues }) => queues.length > 0);
    expect(after?.queues).toEqual(['a']);
    after?.confirm(0);
    expect(await stuck).toBe('confirmed');
  });

  it('accepts a confirm from either channel, however late', async () => {
    const { channel, publish, pass } = await attach();
    const stuck = publish('a');
    await pass(3 * SECONDS);
    channel.confirm(0);
    expect(await stuck).toBe('confirmed');
  });

  it('does not republish it if the first channel confirms it while a new channel opens', async () => {
    const { broker, channel, channels, publish, pass } = await attach();
    broker.opensAfterMs = SLOW_MS;
    const stuck = publish('a');
    await pass(1_300 + SLOW_MS);
    expect(channels.length).toBeGreaterThan(1);
    channel.confirm(0);
    expect(await stuck).toBe('confirmed');
    await pass(1 * SECONDS);
    expect(channels.slice(1).map(({ queues }) => queues)).toEqual([[], []]);
    const next = publish('a');
    const sent = channels.flatMap(({ published }) => published);
    sent.at(-1)?.answer(null);
    expect(await next).toBe('confirmed');
  });
});
