import { describe, expect, it } from '@jest/globals';

import { InternalKeys } from '../envelope/internal-keys.ts';
import { HeaderSeal } from '../envelope/own-headers.ts';
import { type MessageFacts, messageOf } from '../../../rabbitmq/src/consuming/message.fixture.ts';
import { Redriver } from './redriver.ts';

const KEY = Buffer.alloc(32, 7);
const SEAL = new HeaderSeal(new InternalKeys(KEY));
const redriver = new Redriver('poker', KEY);

/** A dead letter as a worker with this key seals it. */
function letterOf({ properties, ...facts }: MessageFacts, key = KEY) {
  const letter = messageOf({
    ...facts,
    properties: { messageId: 'm-1', replyTo: 'shop.replies', ...properties },
  });
  const headers = letter.properties.headers ?? {};
  const copy = { exchange: '', routingKey: '', mandatory: true, content: letter.content };
  const sealed = new HeaderSeal(new InternalKeys(key)).seal({
    ...copy,
    properties: { ...letter.properties, headers },
  });
  return { ...letter, properties: { ...letter.properties, headers: sealed.properties.headers } };
}

describe('Redriver', () => {
  it.each([
    ['session.create', 'poker.interactive'],
    ['report.rake.fetch', 'poker.reports'],
    ['session.destroy', 'poker.interactive'],
  ])('sends %s to %s, mandatory', (type, routingKey) => {
    const command = redriver.commandOf(redriver.read(letterOf({ properties: { type } })));
    expect(command).toMatchObject({ exchange: '', routingKey, mandatory: true, properties: { type } });
  });

  it('drops deadline, time and reason, keeps the caller, and seals', () => {
    const headers = {
      operator: 'casino',
      'x-deadline': 1,
      'x-reason': 'NOT_FOUND',
      'x-origin-user-id': 'shop',
    };
    const letter = letterOf({ properties: { type: 'game.open', timestamp: 1 }, headers });
    const { properties, content } = redriver.commandOf(redriver.read(letter), Buffer.from('{"a":1}'));
    expect(properties).toEqual({
      messageId: 'm-1',
      type: 'game.open',
      replyTo: 'shop.replies',
      headers: {
        operator: 'casino',
        'x-redriven': 1,
        'x-origin-user-id': 'shop',
        'x-seal': expect.any(String),
      },
    });
    const received = messageOf({ properties, headers: properties.headers, body: content });
    expect(SEAL.open(received)).toMatchObject({ 'x-redriven': 1, 'x-origin-user-id': 'shop' });
  });

  it('counts on, and has the replies numbered on', () => {
    const letter = letterOf({ headers: { 'x-redriven': 2, 'x-sequence': 4, 'x-progress': '{"pages":3}' } });
    const { headers } = redriver.commandOf(redriver.read(letter)).properties;
    expect(headers).toMatchObject({ 'x-redriven': 3, 'x-sequence': 4 });
    expect(headers).not.toHaveProperty('x-progress');
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

  it.each([
    ['of another key', letterOf({}, Buffer.alloc(32, 8))],
    ['with a caller that somebody wrote', messageOf({ headers: { 'x-origin-user-id': 'shop' } })],
  ])('does not believe a letter %s', (_, letter) => {
    const redriving = redriver.read(letter);
    expect(redriving.isProved).toBe(false);
    expect(redriver.commandOf(redriving).properties.headers).not.toHaveProperty('x-origin-user-id');
  });
});
