import type { Channel, Message } from 'amqplib';
import { describe, expect, it } from '@jest/globals';

import { Acknowledgements } from './acknowledgements.ts';
import { deliveryOf } from './delivery.fixture.ts';
import { Delivery } from './delivery.ts';
import { type MessageFacts, messageOf } from './message.fixture.ts';

/** A delivery on a channel that notes what it is told, or that is closed already. */
function deliver({ isClosed = false, ...facts }: MessageFacts & { readonly isClosed?: boolean } = {}) {
  const told: unknown[][] = [];
  const note =
    (name: string) =>
    (...args: unknown[]) => {
      if (isClosed) throw new Error('Channel closed');
      told.push([name, ...args]);
    };
  const channel = { ack: note('ack'), nack: note('nack') } as unknown as Channel;
  const message = messageOf(facts);
  const acknowledgements = new Acknowledgements(channel);
  const delivery = new Delivery(message, 'poker.interactive', acknowledgements);
  return { told, message, delivery, flush: () => acknowledgements.flush() };
}

const nack = (message: Message) => ['nack', message, false, true];

describe('Delivery', () => {
  it('is acknowledged on its channel', () => {
    const { told, message, delivery, flush } = deliver();
    expect(delivery).toMatchObject({ isAlive: true, queue: 'poker.interactive', message });
    delivery.acknowledge();
    flush();
    expect(told).toMatchObject([['ack', { fields: { deliveryTag: message.fields.deliveryTag } }, true]]);
    expect(delivery.isAlive).toBe(false);
  });

  it('goes back to its queue, alone', () => {
    const { told, message, delivery } = deliver();
    delivery.requeue();
    expect(told).toEqual([nack(message)]);
    expect(delivery.isAlive).toBe(false);
  });

  it.each([
    ['acknowledged twice', ['acknowledge', 'acknowledge'], 'ack'],
    ['requeued after it was acknowledged', ['acknowledge', 'requeue'], 'ack'],
    ['acknowledged after it was requeued', ['requeue', 'acknowledge'], 'nack'],
    ['lost after it was acknowledged, and requeued', ['acknowledge', 'lose', 'requeue'], 'ack'],
  ] as const)('is settled once: %s', (_, calls, settled) => {
    const { told, delivery, flush } = deliver();
    for (const call of calls) delivery[call]();
    flush();
    expect(told.map(([name]) => name)).toEqual([settled]);
  });

  it('is never settled once it is lost', () => {
    const { told, delivery, flush } = deliver();
    delivery.lose();
    expect(delivery.isAlive).toBe(false);
    delivery.acknowledge();
    delivery.requeue();
    flush();
    expect(told).toEqual([]);
  });

  it.each(['acknowledge', 'requeue'] as const)(
    'is left to the broker if its channel closes in that turn: %s',
    (call) => {
      const { delivery, flush } = deliver({ isClosed: true });
      expect(() => delivery[call]()).not.toThrow();
      expect(flush).not.toThrow();
      expect(delivery.isAlive).toBe(false);
    },
  );

  it.each([
    [undefined, 0],
    [1, 1],
    [49, 49],
    ['49', 0],
    [null, 0],
  ])('takes x-delivery-count %j for %i redeliveries', (count, redeliveries) => {
    const { delivery } = deliver({ headers: { 'x-delivery-count': count } });
    expect(delivery.redeliveries).toBe(redeliveries);
  });

  it.each([
    [{ 'x-delivery-count': 3, 'x-acquired-count': 5 }, 3],
    [{ 'x-delivery-count': 40, 'x-acquired-count': 1 }, 1],
    [{ 'x-delivery-count': 40 }, 0],
    [{ 'x-acquired-count': 5 }, 0],
  ])('takes no more of %j than RabbitMQ 4.3 itself has counted', (headers, redeliveries) => {
    expect(deliveryOf({ headers, release: '4.3.6' }).redeliveries).toBe(redeliveries);
  });

  it('counts no redelivery if there are no headers', () => {
    const message = messageOf();
    const bare = { ...message, properties: { ...message.properties, headers: undefined } };
    expect(new Delivery(bare, 'poker.interactive', new Acknowledgements({} as Channel)).redeliveries).toBe(0);
  });
});
