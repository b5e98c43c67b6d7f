import { describe, expect, it } from '@jest/globals';

import { asAmqp091 } from './amqp-1.0.ts';
import { messageOf } from './message.fixture.ts';

describe('a message of a client of AMQP 1.0', () => {
  it('has the name of the queue to which it wants its replies', () => {
    const replyTo = (address: string) =>
      asAmqp091(messageOf({ properties: { replyTo: address } })).properties.replyTo as unknown;
    expect(replyTo('/queues/shop.replies%2F1')).toBe('shop.replies/1');
    expect(replyTo('/queues/%')).toBe('/queues/%');
    expect(replyTo('shop.replies')).toBe('shop.replies');
  });

  it('is left alone if there is nothing to change', () => {
    const message = messageOf({ properties: { type: 'session.create', replyTo: 'shop.replies' } });
    expect(asAmqp091(message)).toBe(message);
  });
});
