import { describe, expect, it } from '@jest/globals';
import rhea from 'rhea';

import { asAmqp091 } from './amqp-1.0.ts';
import { messageOf } from './message.fixture.ts';

const DATA = {
  userId: 'p-1',
  nick: 'Ace ♠',
  active: true,
  tableId: 42,
  avatar: -3,
  notes: ['a', null, 1.5],
  big: {},
};

/** A body of one value, as a client writes it and RabbitMQ 4 hands it on, which is without the sections before it. */
const encoded = (body: unknown): Buffer => {
  const message = rhea.message.encode({ body });
  return message.subarray(message.indexOf(Buffer.from([0, 0x53, 0x77])));
};
const received = (content: Buffer, properties: object = { type: 'amqp-1.0' }) =>
  asAmqp091({ ...messageOf({ properties }), content });

describe('a message of a client of AMQP 1.0', () => {
  it.each([
    ['a map', DATA],
    ['a text', JSON.stringify(DATA)],
    ['a long text', JSON.stringify({ ...DATA, nick: 'x'.repeat(300) })],
  ])('whose body is %s has that as JSON, and no type', (_, body) => {
    const { content, properties } = received(encoded(body));
    expect(JSON.parse(content.toString())).toEqual(typeof body === 'string' ? JSON.parse(body) : body);
    expect(properties.type).toBeUndefined();
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['something else', Buffer.from('{"userId":"p-1"}')],
    ['what is cut off', encoded(DATA).subarray(0, 40)],
    [
      'a list that is longer than its bytes',
      Buffer.from([0, 0x53, 0x77, 0xd0, 0, 0, 0, 8, 0xff, 0xff, 0xff, 0xff]),
    ],
    ['lists in lists', encoded(Array.from({ length: 40 }).reduce((inner) => [inner], 'x'))],
    ['a timestamp', Buffer.from([0, 0x53, 0x77, 0x83, 0, 0, 0, 0, 0, 0, 0, 0])],
  ])('whose body is %s keeps it', (_, content) => {
    expect(received(content).content).toBe(content);
  });

  it('has the name of the queue to which it wants its replies', () => {
    const replyTo = (address: string) =>
      received(Buffer.alloc(0), { replyTo: address }).properties.replyTo as unknown;
    expect(replyTo('/queues/shop.replies%2F1')).toBe('shop.replies/1');
    expect(replyTo('/queues/%')).toBe('/queues/%');
    expect(replyTo('shop.replies')).toBe('shop.replies');
  });

  it('is left alone if there is nothing to change', () => {
    const message = messageOf({ properties: { type: 'session.create', replyTo: 'shop.replies' } });
    expect(asAmqp091(message)).toBe(message);
  });
});
