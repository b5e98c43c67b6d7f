import { describe, expect, it } from '@jest/globals';

import { deliveryOf } from './delivery.fixture.ts';

describe('Delivery', () => {
  it.each([
    [['acknowledge', 'acknowledge'], ['acknowledge']],
    [['acknowledge', 'requeue'], ['acknowledge']],
    [['requeue', 'acknowledge'], ['requeue']],
    [['acknowledge', 'lose', 'requeue'], ['acknowledge']],
    [['lose', 'acknowledge', 'requeue'], []],
  ] as const)('settles once, and never after its channel is lost: %j', (calls, settled) => {
    const sent: unknown[][] = [];
    const note = (how: string) => (message: unknown) => sent.push([how, message]);
    const delivery = deliveryOf({}, { acknowledge: note('acknowledge'), requeue: note('requeue') });
    expect([delivery.isAlive, delivery.isLost]).toEqual([true, false]);
    for (const call of calls) delivery[call]();
    expect(sent).toEqual(settled.map((name) => [name, delivery.message]));
    expect([delivery.isAlive, delivery.isLost]).toEqual([false, calls[0] === 'lose']);
  });

  it.each([
    ['4.0.5', undefined, 0],
    ['4.0.5', {}, 0],
    ['4.0.5', { 'x-delivery-count': 49 }, 49],
    ['4.0.5', { 'x-delivery-count': '49' }, 0],
    ['4.3.6', { 'x-delivery-count': 3, 'x-acquired-count': 5 }, 3],
    ['4.3.6', { 'x-delivery-count': 40, 'x-acquired-count': 1 }, 1],
    ['4.3.6', { 'x-delivery-count': 40 }, 0],
  ])("limits redeliveries on RabbitMQ %s to the broker's own count: %j is %i", (release, headers, count) => {
    expect(deliveryOf({ release, ...(headers && { headers }) }).redeliveries).toBe(count);
  });

  it.each([
    ['/queues/shop.replies%2F1', 'shop.replies/1'],
    ['/queues/%', '/queues/%'],
    ['shop.replies', 'shop.replies'],
  ])('converts the reply address of an AMQP 1.0 client: %s', (replyTo, queue) => {
    expect(deliveryOf({ properties: { replyTo } }).message.properties.replyTo).toBe(queue);
  });
});
