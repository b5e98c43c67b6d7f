import { describe, expect, it } from '@jest/globals';

import { prepareCommand, type Sender } from './command.ts';

const sender: Sender = {
  prefix: 'poker',
  appId: 'shop',
  operator: undefined,
  userId: undefined,
  traceContext: () => ({}),
};

const prepare = (options: object = {}, from: Partial<Sender> = {}) =>
  prepareCommand({ ...sender, ...from }, 'shop.replies.a', 'session.create', { userId: 'p-1' }, options);

describe('prepareCommand', () => {
  it('returns exchange, routing key, properties and body, which survive JSON serialization', () => {
    const prepared = prepare({ id: 'c-1' });
    expect(prepared).toEqual({
      id: 'c-1',
      exchange: 'poker.commands',
      routingKey: 'session.create',
      properties: {
        type: 'session.create',
        messageId: 'c-1',
        correlationId: 'c-1',
        replyTo: 'shop.replies.a',
        contentType: 'application/json',
        deliveryMode: 2,
        appId: 'shop',
        headers: { 'schema-version': 1 },
      },
      body: '{"userId":"p-1"}',
    });
    expect(JSON.parse(JSON.stringify(prepared))).toEqual(prepared);
  });

  it('sets the options of sender and call, where those of the call take precedence', () => {
    const traceContext = () => ({ traceparent: 'of the sender', tracestate: 'state' });
    const from = { operator: 'acme', userId: 'shop', traceContext };
    expect(prepare({}, from).properties).toMatchObject({
      userId: 'shop',
      headers: { operator: 'acme', traceparent: 'of the sender', tracestate: 'state' },
    });
    const options = { operator: 'other', traceContext: { traceparent: 'of the call' } };
    expect(prepare(options, from).properties.headers).toEqual({
      'schema-version': 1,
      operator: 'other',
      traceparent: 'of the call',
    });
  });

  it('sets the x-deadline header to the time of the deadline', () => {
    const earliest = Date.now() + 5_000;
    const deadline = Date.parse(String(prepare({ deadlineMs: 5_000 }).properties.headers['x-deadline']));
    expect(deadline).toBeGreaterThanOrEqual(earliest);
    expect(deadline).toBeLessThanOrEqual(Date.now() + 5_000);
  });

  it.each([0, -1, 1_200_001, Number.NaN])('rejects a deadline of %s ms', (deadlineMs) => {
    expect(() => prepare({ deadlineMs })).toThrow(RangeError);
  });

  it.each(['', 'é'.repeat(101), 'a\ud800'])('rejects the invalid message id %j', (id) => {
    expect(() => prepare({ id })).toThrow(
      expect.objectContaining({
        name: 'CallerError',
        code: 'VALIDATION_FAILED',
        category: 'invalid',
        retryable: false,
        violations: [expect.objectContaining({ pointer: '/properties/message_id' })],
      }),
    );
  });
});
