import { describe, expect, it } from '@jest/globals';

import { commandOf, copiedCommandOf, RECEIVED_AT_MS } from './command.fixture.ts';
import { copyOf } from './copy-of.ts';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const DEADLINE_AT_MS = RECEIVED_AT_MS + 5_000;

const copy = (facts: Parameters<typeof commandOf>[0] = {}) =>
  copyOf(commandOf(facts), { queue: 'poker.quarantine' });
const headersOf = (headers: Record<string, unknown>) => copy({ headers }).properties.headers;

describe('copyOf', () => {
  it('keeps what the contract lists, and nothing else', () => {
    const command = commandOf({
      properties: {
        type: 'session.create',
        messageId: 'm-1',
        correlationId: 'c-1',
        replyTo: 'lobby',
        contentType: 'application/json',
        contentEncoding: 'identity',
        appId: 'cashier',
        timestamp: 1_769_860_800,
        userId: 'cashier-user',
        expiration: '60000',
        deliveryMode: 1,
        priority: 9,
        clusterId: 'c',
      },
      headers: {
        operator: 'casino',
        'schema-version': 1,
        traceparent: TRACEPARENT,
        tracestate: 'a=b',
        'x-redriven': 2,
        'x-origin-user-id': 'somebody',
        'x-deadline': new Date(DEADLINE_AT_MS).toISOString(),
        CC: ['spy'],
        BCC: ['spy'],
        'x-death': [{ queue: 'poker.reports', count: 9 }],
        'x-delivery-count': 9,
        'x-quarantine-starts': 9,
        'x-postponed': 9,
        'x-sequence': 9,
        'x-progress': '{}',
        'x-publish-id': '9',
        'x-reason': 'NOT_FOUND',
        'x-anything': 'else',
      },
    });
    expect(copyOf(command, { queue: 'poker.dead-letters' })).toEqual({
      exchange: '',
      routingKey: 'poker.dead-letters',
      content: command.delivery.message.content,
      mandatory: true,
      properties: {
        type: 'session.create',
        messageId: 'm-1',
        correlationId: 'c-1',
        replyTo: 'lobby',
        contentType: 'application/json',
        contentEncoding: 'identity',
        appId: 'cashier',
        timestamp: 1_769_860_800,
        headers: {
          operator: 'casino',
          'schema-version': 1,
          traceparent: TRACEPARENT,
          tracestate: 'a=b',
          'x-deadline': DEADLINE_AT_MS,
          'x-origin-user-id': 'cashier-user',
        },
      },
    });
  });

  it('gives a bare command its identity, its type and its deadline', () => {
    expect(copy({ properties: { messageId: undefined, replyTo: undefined } }).properties).toEqual({
      messageId: 'made-up',
      type: 'session.create',
      headers: { operator: 'default', 'x-deadline': RECEIVED_AT_MS + 15_000 },
    });
  });

  it.each([
    ['that is too long for a header', 'x'.repeat(100_000), 'x'.repeat(1024)],
    ['that is no text', ['casino'], ''],
    ['that is empty', '', ''],
  ])('never makes the default operator of one %s', (_, operator, expected) => {
    expect(headersOf({ operator })).toMatchObject({ operator: expected });
  });

  it('drops what cannot be written into a property again', () => {
    const tooLong = '\ufffd'.repeat(255);
    const properties = {
      type: tooLong,
      correlationId: tooLong,
      replyTo: tooLong,
      contentType: tooLong,
      contentEncoding: tooLong,
      appId: tooLong,
      timestamp: 2 ** 64,
    };
    expect(Object.keys(copy({ properties }).properties).toSorted()).toEqual(['headers', 'messageId']);
  });

  it.each([-1e300, -Infinity, Number.NaN, 2 ** 50 + 0.5, 1.5])('writes a header of %d as text', (value) => {
    expect(headersOf({ 'schema-version': value })).toMatchObject({ 'schema-version': String(value) });
  });

  it.each(['traceparent', 'tracestate'])('drops a %s that is too long for a header', (name) => {
    expect(headersOf({ [name]: 'x'.repeat(1025) })).not.toHaveProperty(name);
    expect(headersOf({ [name]: 'x'.repeat(1024) })).toHaveProperty(name);
  });

  it('copies a message that has no headers at all', () => {
    const command = commandOf();
    command.delivery.message.properties.headers = undefined;
    expect(copyOf(command, { queue: 'q' }).properties.headers).toMatchObject({ operator: 'default' });
  });

  it('leaves a packet without a type, since it would not be one with it', () => {
    const body = { pattern: 'session.create', data: { userId: 'p-1' }, id: 'n-1' };
    const { properties } = copy({ body });
    expect(properties).toMatchObject({ messageId: 'n-1' });
    expect(properties).not.toHaveProperty('type');
  });

  it('drops the bare direct reply-to, which the broker refuses from a publisher that does not consume it', () => {
    expect(copy({ properties: { replyTo: 'amq.rabbitmq.reply-to' } }).properties).not.toHaveProperty(
      'replyTo',
    );
  });

  it('keeps the direct key of a client that waits', () => {
    const replyTo = 'amq.rabbitmq.reply-to.g1h2AA9yZXBseUA';
    expect(copy({ properties: { replyTo } }).properties.replyTo).toBe(replyTo);
  });

  it('puts the headers of its reason over the carried ones', () => {
    const command = copiedCommandOf({ headers: { operator: 'casino', 'x-redriven': 1 } });
    const { properties } = copyOf(command, {
      queue: 'q',
      headers: { 'x-redriven': 2, 'x-reason': 'NOT_FOUND' },
    });
    expect(properties.headers).toMatchObject({
      operator: 'casino',
      'x-redriven': 2,
      'x-reason': 'NOT_FOUND',
    });
  });

  it('takes another content if it is given one', () => {
    const content = Buffer.from('cut');
    expect(copyOf(commandOf(), { queue: 'q', content }).content).toBe(content);
  });

  it('remembers whose command it was, and how often it was redriven, over a copy of a copy', () => {
    const headers = { 'x-origin-user-id': 'cashier', 'x-redriven': 2 };
    expect(copyOf(copiedCommandOf({ headers }), { queue: 'q' }).properties.headers).toMatchObject(headers);
  });

  it.each([
    ['a list', ['casino']],
    ['a table', { a: 1 }],
    ['nothing', null],
  ])('drops a tracestate that is %s', (_, tracestate) => {
    expect(headersOf({ tracestate })).not.toHaveProperty('tracestate');
  });

  it('has fresh headers each time, since the publisher writes into them', () => {
    const command = commandOf({ headers: { operator: 'casino' } });
    const [first, second] = [copyOf(command, { queue: 'a' }), copyOf(command, { queue: 'b' })];
    first.properties.headers['x-publish-id'] = '1';
    expect(second.properties.headers).not.toHaveProperty('x-publish-id');
    expect(command.delivery.message.properties.headers).not.toHaveProperty('x-publish-id');
  });
});
