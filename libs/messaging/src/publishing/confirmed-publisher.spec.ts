import { EventEmitter } from 'node:events';

import { describe, expect, it } from '@jest/globals';
import type { ConfirmChannel } from 'amqplib';

import { ConfirmedPublisher, UnconfirmedError } from './confirmed-publisher.ts';
import type { OutgoingMessage } from './outgoing-message.ts';

type Answer = (error: Error | null) => void;

/** A channel whose broker answers in the order that a spec says; a real one seldom chooses the awkward ones. */
class ScriptedChannel extends EventEmitter {
  readonly published: object[] = [];
  readonly answers: Answer[] = [];

  sendMessage(_method: object, properties: object): void {
    this.published.push(properties);
  }

  pushConfirmCallback(answer: Answer): void {
    this.answers.push(answer);
  }

  return(index: number): void {
    this.emit('return', { properties: this.published[index]! });
  }

  /** As amqplib does: whoever waits hears of it before the listeners. */
  lose(): void {
    for (const answer of this.answers.splice(0)) answer(new Error('channel closed'));
    this.emit('close');
  }
}

const messageTo = (routingKey: string): OutgoingMessage => ({
  exchange: '',
  routingKey,
  content: Buffer.from('{}'),
  mandatory: true,
  properties: { messageId: 'one and the same', headers: {} },
});

function attach() {
  const publisher = new ConfirmedPublisher();
  const next = () => {
    const channel = new ScriptedChannel();
    publisher.attach(channel as unknown as ConfirmChannel);
    return channel;
  };
  const publish = (queue: string) => publisher.publish(messageTo(queue), () => true);
  return { publisher, channel: next(), next, publish };
}

describe('ConfirmedPublisher', () => {
  it('matches a return to its own publish, though others under the same id are confirmed before it', async () => {
    const { channel, publish } = attach();
    const outcomes = Promise.all(['there', 'gone', 'gone', 'there'].map(publish));
    channel.return(1);
    channel.return(2);
    for (const answer of channel.answers) answer(null);
    expect(await outcomes).toEqual(['confirmed', 'returned', 'returned', 'confirmed']);
  });

  it('publishes again on the next channel what the one before had not confirmed, in its order', async () => {
    const { channel, next, publish } = attach();
    const outcomes = Promise.all(['a', 'b'].map(publish));
    channel.return(1);
    channel.lose();
    const second = next();
    expect(second.published).toHaveLength(2);
    for (const answer of second.answers) answer(null);
    expect(await outcomes).toEqual(['confirmed', 'confirmed']);
  });

  it('gives up a message that closes every channel, and one that nobody wants any more', async () => {
    const { publisher, channel, next, publish } = attach();
    const poison = publish('a');
    const unwanted = publisher.publish(messageTo('b'), () => channel.published.length < 2);
    for (let lost: ScriptedChannel | undefined = channel, left = 25; left > 0; left -= 1) {
      lost.lose();
      lost = next();
    }
    await expect(poison).rejects.toThrow(UnconfirmedError);
    await expect(unwanted).rejects.toThrow(UnconfirmedError);
  });

  it('lets whoever waits for a channel go when it closes', async () => {
    const publisher = new ConfirmedPublisher();
    const waiting = publisher.publish(messageTo('a'), () => true);
    publisher.close();
    await expect(waiting).rejects.toThrow(UnconfirmedError);
  });
});
