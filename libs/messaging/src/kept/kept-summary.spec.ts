import { describe, expect, it } from '@jest/globals';

import { messageOf } from '../../../rabbitmq/src/consuming/message.fixture.ts';
import { KeptSummary } from './kept-summary.ts';

const AT = '2026-01-31T12:00:00.000Z';
const letter = (id: string, reason: string, headers: Record<string, unknown> = {}) =>
  messageOf({
    properties: { messageId: id, type: 'game.open' },
    headers: { 'x-reason': reason, 'x-failed-at': AT, ...headers },
  });

describe('KeptSummary', () => {
  it('counts by reason, the most frequent first, and shows the latest of each with its failure', () => {
    const summary = new KeptSummary();
    summary.add(letter('m-1', 'POISON_COMMAND'));
    summary.add(letter('m-2', 'VALIDATION_FAILED'));
    const failure = { status: 422, pointers: ['/player/nick'], reason: 'is too long' };
    summary.add(letter('m-3', 'VALIDATION_FAILED', { 'x-failure': JSON.stringify(failure) }));
    expect(summary.messages).toBe(3);
    expect(summary.reasons).toMatchObject([
      {
        reason: 'VALIDATION_FAILED',
        count: 2,
        last: { id: 'm-3', type: 'game.open', failedAt: AT, failure },
      },
      { reason: 'POISON_COMMAND', count: 1, last: { id: 'm-1', failure: undefined } },
    ]);
  });

  it('forgets what went on', () => {
    const summary = new KeptSummary();
    const remove = summary.add(letter('m-1:0', 'REPLY_QUEUE_FULL'));
    summary.add(letter('m-2:0', 'REPLY_QUEUE_GONE'));
    remove();
    expect(summary.reasons.map(({ reason }) => reason)).toEqual(['REPLY_QUEUE_GONE']);
  });

  it('is not made large by whoever writes to the queue', () => {
    const summary = new KeptSummary();
    for (let n = 0; n < 1_000; n += 1) summary.add(letter('m'.repeat(5_000), `${n}${'r'.repeat(5_000)}`));
    expect(summary.messages).toBe(1_000);
    expect(JSON.stringify(summary.reasons).length).toBeLessThan(20_000);
  });

  it.each(['{', '[]', 'null', '{"status":"x","pointers":7}', 'x'.repeat(5_000), 7])(
    'reads no more of a failure than is one: %j',
    (text) => {
      const summary = new KeptSummary();
      summary.add(letter('m-1', 'NOT_FOUND', { 'x-failure': text }));
      const { failure } = summary.reasons[0]!.last;
      expect(failure ?? { reason: 'undefined' }).toEqual({ reason: 'undefined' });
    },
  );
});
