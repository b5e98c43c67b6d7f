import { describe, expect, it } from '@jest/globals';

import type { OutgoingMessage } from '#rabbitmq';

import { messageOf } from '../../../rabbitmq/src/message.fixture.ts';
import { InternalKeys, sealed as sealedBy, sealedHeadersOf } from './seal.ts';

const keyOf = (byte: number) => new InternalKeys(Buffer.alloc(32, byte));
const KEYS = keyOf(7);
const CONTENT = Buffer.from('{"userId":"p-1"}');
const HEADERS = { operator: 'acme', 'x-progress': '{"pages":5}', 'x-sequence': 5, traceparent: 'any' };
const COPY: OutgoingMessage = {
  exchange: '',
  routingKey: 'poker.reports.retry.5000',
  content: CONTENT,
  mandatory: true,
  properties: { messageId: 'm-1', replyTo: 'finance', type: 'report.rake.fetch', headers: HEADERS },
};
const sealed = sealedBy(COPY, KEYS);
const { headers: sealedHeaders, ...PROPERTIES } = sealed.properties;

/** The sealed copy as received, with changes. */
const received = (change: { headers?: object; properties?: object; body?: Buffer } = {}) =>
  messageOf({
    body: change.body ?? CONTENT,
    headers: { ...sealedHeaders, 'x-death': [{ queue: 'any' }], ...change.headers },
    properties: { ...PROPERTIES, ...change.properties },
  });

describe('the seal of a copy', () => {
  it('returns the headers that workers write, and no others', () => {
    expect(sealedHeadersOf(received(), KEYS)).toEqual({ 'x-progress': '{"pages":5}', 'x-sequence': 5 });
  });

  it.each<[string, Parameters<typeof received>[0]]>([
    ['another count', { headers: { 'x-sequence': 7 } }],
    ['another progress', { headers: { 'x-progress': '{"pages":7}' } }],
    ['a header that was not there', { headers: { 'x-origin-user-id': 'shop' } }],
    ['another operator', { headers: { operator: 'casino' } }],
    ['another command', { properties: { messageId: 'm-2' } }],
    ['another reply queue', { properties: { replyTo: 'thief' } }],
    ['another type', { properties: { type: 'session.create' } }],
    ['other data', { body: Buffer.from('{"userId":"p-2"}') }],
    ['no seal', { headers: { 'x-seal': undefined } }],
    ['a seal of another length', { headers: { 'x-seal': 'AAAA' } }],
    ['a seal that is no text', { headers: { 'x-seal': 7 } }],
    ['a table, where a worker writes none', { headers: { 'x-origin-user-id': { any: 'shop' } } }],
  ])('believes nothing of a message with %s', (_, change) => {
    expect(sealedHeadersOf(received(change), KEYS)).toEqual({});
  });

  it('drops values that JSON writes as null, because no worker writes them', () => {
    const headers = { 'x-redriven': Number.NaN, 'x-origin-user-id': null, 'x-postponed': Infinity };
    expect(sealedHeadersOf(received({ headers }), KEYS)).toEqual({
      'x-progress': '{"pages":5}',
      'x-sequence': 5,
    });
  });

  it('rejects a seal of another key', () => {
    expect(sealedHeadersOf(received(), keyOf(8))).toEqual({});
  });

  it('accepts a seal of the key before a change, and seals with the new one', () => {
    const keys = keyOf(7);
    keys.rotate(Buffer.alloc(32, 8));
    expect(sealedHeadersOf(received(), keys)).toEqual(sealedHeadersOf(received(), KEYS));
    const { headers } = sealedBy(COPY, keys).properties;
    expect(sealedHeadersOf(received({ headers }), KEYS)).toEqual({});
    expect(sealedHeadersOf(received({ headers }), keys)).toEqual(sealedHeadersOf(received(), KEYS));
  });
});

it('InternalKeys keeps eight former keys, newest first, each once', () => {
  const key = (byte: number) => Buffer.alloc(32, byte);
  const keys = new InternalKeys(key(0));
  for (const byte of [1, 2, 3, 1, 1, 4, 5, 6, 7, 8, 9]) keys.rotate(key(byte));
  expect(keys.all.map(({ internal }) => internal[0])).toEqual([9, 8, 7, 6, 5, 4, 1, 3, 2]);
});
