import { describe, expect, it } from '@jest/globals';

import { messageOf } from '../../../rabbitmq/src/message.fixture.ts';
import { keptMessageOf, KeptSummary } from './kept-message.ts';

const AT = '2026-01-31T12:00:00.000Z';
const EARLIER = '2026-01-31T11:00:00.000Z';

describe('keptMessageOf', () => {
  it('reads messages that the broker dead-lettered itself', () => {
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

  it('reads the type of a Nest packet from its body', () => {
    const letter = messageOf({ body: { pattern: 'game.open', data: {}, id: '1' } });
    expect(keptMessageOf(letter)).toMatchObject({ type: 'game.open' });
  });
});

describe('KeptSummary', () => {
  const letter = (id: string, reason: string, failure?: unknown, at = AT) =>
    messageOf({
      properties: { messageId: id, type: 'game.open' },
      headers: { 'x-reason': reason, 'x-failed-at': at, 'x-failure': failure },
    });

  it('counts messages by reason, most frequent first, with the first time and the latest message of each', () => {
    const summary = new KeptSummary();
    const failure = { status: 422, pointers: ['/player/nick'], reason: 'is too long' };
    summary.add(letter('m-1', 'POISON_COMMAND'));
    summary.add(letter('m-2', 'VALIDATION_FAILED'));
    summary.add(letter('m-4', 'VALIDATION_FAILED', undefined, EARLIER));
    summary.add(letter('m-3', 'VALIDATION_FAILED', JSON.stringify(failure)));
    expect(summary.messages).toBe(4);
    expect(summary.reasons).toMatchObject([
      {
        reason: 'VALIDATION_FAILED',
        count: 3,
        since: EARLIER,
        last: { id: 'm-3', type: 'game.open', failedAt: AT, failure },
      },
      { reason: 'POISON_COMMAND', count: 1, last: { id: 'm-1', failure: undefined } },
    ]);
  });

  it('counts parked replies by queue, each with its own time of the first', () => {
    const summary = new KeptSummary();
    const reply = (queue: string, at: string) =>
      messageOf({ headers: { 'x-reason': 'REPLY_QUEUE_FULL', 'x-failed-at': at, 'x-death': [{ queue }] } });
    for (const message of [reply('crm', AT), reply('shop', EARLIER), reply('crm', AT)]) summary.add(message);
    expect(summary.reasons).toMatchObject([
      { reason: 'REPLY_QUEUE_FULL', queue: 'crm', count: 2, since: AT },
      { reason: 'REPLY_QUEUE_FULL', queue: 'shop', count: 1, since: EARLIER },
    ]);
  });

  it('stays small, whatever callers write to the queue', () => {
    const summary = new KeptSummary();
    for (let n = 0; n < 1_000; n += 1) summary.add(letter('m'.repeat(5_000), `${n}${'r'.repeat(5_000)}`));
    expect(summary.messages).toBe(1_000);
    expect(JSON.stringify(summary.reasons).length).toBeLessThan(20_000);
  });

  it.each(['{', '[]', 'null', '{"status":"x","pointers":7}', 'x'.repeat(5_000), 7])(
    'reads of the failure %j no more than belongs to one',
    (text) => {
      const summary = new KeptSummary();
      summary.add(letter('m-1', 'NOT_FOUND', text));
      const { failure } = summary.reasons[0]!.last;
      expect(failure ?? { reason: 'undefined' }).toEqual({ reason: 'undefined' });
    },
  );
});
