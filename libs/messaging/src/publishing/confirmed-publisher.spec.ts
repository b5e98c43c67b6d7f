import { EventEmitter } from 'node:events';

import { describe, expect, it } from '@jest/globals';
import type { ConfirmChannel, Options } from 'amqplib';

import { ConfirmedPublisher, type OutgoingMessage } from './confirmed-publisher.ts';

interface Published {
  readonly routingKey: string;
  readonly options: Options.Publish;
  readonly answer: (error: Error | null) => void;
}

/** A channel whose broker answers in the order that a spec says; a real one seldom chooses the awkward ones. */
class ScriptedChannel extends EventEmitter {
  readonly published: Published[] = [];

  publish(
    _exchange: string,
    routingKey: string,
    _content: Buffer,
    options: Options.Publish,
    answer: Published['answer'],
  ) {
    this.published.push({ routingKey, options, answer });
  }

  return(index: number): void {
    this.emit('return', { properties: this.published[index]!.options });
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
  const channel = new ScriptedChannel();
  const publisher = new ConfirmedPublisher();
  publisher.attach(channel as unknown as ConfirmChannel);
  const publish = (queue: string) => publisher.publish(messageTo(queue), () => true);
  return { channel, publish };
}

describe('ConfirmedPublisher', () => {
  it('matches a return to its own publish, though others under the same id are confirmed before it', async () => {
    const { channel, publish } = attach();
    const outcomes = Promise.all(['there', 'gone', 'gone', 'there'].map(publish));
    channel.return(1);
    channel.return(2);
    for (const { answer } of channel.published) answer(null);
    expect(await outcomes).toEqual(['confirmed', 'returned', 'returned', 'confirmed']);
  });
});
