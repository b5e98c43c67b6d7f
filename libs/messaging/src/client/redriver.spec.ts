import { describe, expect, it } from '@jest/globals';

import { type MessageFacts, messageOf } from '../../../rabbitmq/src/consuming/message.fixture.ts';
import { sealed } from '../envelope/bus.fixture.ts';
import { Redriver } from './redriver.ts';

const redriver = new Redriver('poker', Buffer.alloc(32, 7));
const letterOf = (facts: MessageFacts) => sealed(messageOf(facts));

describe('Redriver', () => {
  it.each([
    ['session.create', 'poker.interactive'],
    ['report.rake.fetch', 'poker.reports'],
    ['session.destroy', 'poker.interactive'],
  ])('sends %s to %s, counts on, and has the replies numbered on', (type, routingKey) => {
    const headers = { 'x-redriven': 2, 'x-sequence': 4, 'x-progress': '{"pages":3}' };
    const command = redriver.commandOf(redriver.read(letterOf({ properties: { type }, headers })));
    const expected = { type, headers: { 'x-redriven': 3, 'x-sequence': 4 } };
    expect(command).toMatchObject({ exchange: '', routingKey, mandatory: true, properties: expected });
    expect(command.properties.headers).not.toHaveProperty('x-progress');
  });

  it('gives what the broker dead-lettered itself its type and its checked user', () => {
    const death = { reason: 'expired', queue: 'poker.interactive', 'routing-keys': ['session.create'] };
    const letter = messageOf({
      properties: { userId: 'shop' },
      headers: { 'x-death': [death] },
      routingKey: 'poker.dead-letters',
    });
    const redriving = redriver.read(letter);
    expect(redriving.isProved).toBe(true);
    const { properties } = redriver.commandOf(redriving);
    expect(properties).toMatchObject({ type: 'session.create', headers: { 'x-origin-user-id': 'shop' } });
    expect(properties).not.toHaveProperty('userId');
  });
});
