import { describe, expect, it } from '@jest/globals';

import { messageOf } from '../../../rabbitmq/src/consuming/message.fixture.ts';
import { SEAL_OF_SPEC } from '../envelope/envelope-rules.fixture.ts';
import { keptMessageOf } from './kept-message.ts';

const AT = '2026-01-31T12:00:00.000Z';

describe('keptMessageOf', () => {
  it('reads a dead letter', () => {
    const headers = {
      operator: 'casino',
      'x-origin-user-id': 'shop',
      'x-reason': 'MESSAGE_TOO_LARGE',
      'x-failed-at': AT,
      'x-origin-queue': 'poker.interactive',
      'x-origin-bytes': 70_000,
      'x-seal': 'not looked into',
    };
    const letter = messageOf({ properties: { messageId: 'm-1', type: 'game.open' }, headers });
    expect(keptMessageOf(letter)).toEqual({
      id: 'm-1',
      commandId: 'm-1',
      type: 'game.open',
      operator: 'casino',
      caller: 'shop',
      reason: 'MESSAGE_TOO_LARGE',
      failedAt: AT,
      queue: 'poker.interactive',
      bytes: 70_000,
      isCut: true,
      key: expect.any(String),
    });
  });

  it('reads a parked reply by its command, too', () => {
    const headers = { 'command-id': 'm-1', 'x-origin-queue': 'shop.replies', 'x-seal': 'any' };
    const facts = keptMessageOf(messageOf({ properties: { messageId: 'm-1:0' }, headers }));
    expect(facts).toMatchObject({ id: 'm-1:0', commandId: 'm-1', queue: 'shop.replies' });
    expect(facts).not.toHaveProperty('operator');
  });

  it('believes where a letter comes from only if its seal is right', () => {
    const headers = {
      'x-origin-user-id': 'shop',
      'x-origin-queue': 'poker.reports',
      'x-reason': 'NOT_FOUND',
    };
    const letter = messageOf({ properties: { messageId: 'm-1', userId: 'forger' }, headers });
    const forged = { caller: 'forger', queue: '', reason: 'NOT_FOUND' };
    expect(keptMessageOf(letter)).toMatchObject(forged);
    expect(keptMessageOf(letter, SEAL_OF_SPEC)).toMatchObject(forged);
    const { content, properties } = letter;
    const copy = {
      exchange: '',
      routingKey: '',
      mandatory: true,
      content,
      properties: { ...properties, headers },
    };
    const sealed = { ...letter, properties: { ...properties, ...SEAL_OF_SPEC.seal(copy).properties } };
    const proved = { caller: 'shop', queue: 'poker.reports' };
    expect(keptMessageOf(sealed, SEAL_OF_SPEC)).toMatchObject(proved);
    expect(keptMessageOf({ ...sealed, content: Buffer.from('{}') }, SEAL_OF_SPEC)).toMatchObject(forged);
  });

  it('reads what the broker dead-lettered itself', () => {
    const death = {
      reason: 'delivery_limit',
      queue: 'poker.interactive',
      time: { '!': 'timestamp', value: Date.parse(AT) / 1_000 },
      'routing-keys': ['session.create'],
    };
    const letter = messageOf({ properties: { userId: 'shop' }, headers: { 'x-death': [death, {}] } });
    expect(keptMessageOf(letter)).toMatchObject({
      id: '',
      type: 'session.create',
      caller: 'shop',
      reason: 'delivery_limit',
      failedAt: AT,
      queue: 'poker.interactive',
    });
  });

  it("takes the type of a packet of Nest's client from its body", () => {
    const letter = messageOf({ body: { pattern: 'game.open', data: {}, id: '1' } });
    expect(keptMessageOf(letter)).toMatchObject({ type: 'game.open' });
  });

  it.each([
    ['headers of other types', { 'x-reason': 7, 'x-failed-at': 'then', 'x-death': 'x', operator: {} }],
    ['deaths without facts', { 'x-death': [null] }],
    ['a death at no time', { 'x-death': [{ time: { value: 2 ** 64 } }] }],
    ['lists in lists', { 'x-death': [[[]]], 'x-reason': [[]], operator: [[]] }],
    ['no headers', {}],
  ])('takes %s for nothing', (_, headers) => {
    expect(keptMessageOf(messageOf({ headers, body: Buffer.from([255]) }))).toEqual({
      id: '',
      commandId: '',
      type: '',
      reason: 'unknown',
      queue: '',
      bytes: 1,
      isCut: false,
      key: expect.any(String),
    });
  });
});
