import { describe, expect, it } from '@jest/globals';

import { type MessageFacts, messageOf } from '../../../rabbitmq/src/message.fixture.ts';
import { readReplyAddress } from './reply-address.ts';
import { BUS_OF_SPEC, RECEIVED_AT_MS, sealed } from './bus.fixture.ts';
import { openEnvelope } from './open-envelope.ts';

const open = (facts?: MessageFacts) => openEnvelope(messageOf(facts), BUS_OF_SPEC);
const packet = (members: object) => ({ pattern: 'session.create', data: { userId: 'p-1' }, ...members });
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('openEnvelope', () => {
  it('reads a command without properties and headers', () => {
    const bare = {
      form: 'typed',
      id: 'made-up',
      type: 'session.create',
      knownType: 'session.create',
      lane: 'interactive',
      correlationId: 'made-up',
      replyTo: { kind: 'none' },
      operator: 'default',
      caller: 'anonymous',
      own: {},
      cancelsWithQueue: false,
      deadlineAtMs: RECEIVED_AT_MS + 15_000,
      traceparent: undefined,
      data: { userId: 'p-1' },
      fault: undefined,
      violations: [],
    };
    expect(open()).toEqual(bare);
    const message = messageOf();
    const properties = { ...message.properties, headers: undefined };
    expect(openEnvelope({ ...message, properties }, BUS_OF_SPEC)).toEqual(bare);
  });

  it.each([
    ['the property', { properties: { type: 'game.open' } }, 'typed', 'game.open'],
    ['the routing key', { properties: { type: '' } }, 'typed', 'session.create'],
    ['the packet', { body: packet({ pattern: 'game.open' }) }, 'packet', 'game.open'],
    ['the property, over a packet', { properties: { type: 'x' }, body: packet({}) }, 'typed', 'x'],
    ['no text of a packet', { body: packet({ pattern: { cmd: 'game.open' } }) }, 'packet', ''],
    ['a packet, cut', { body: packet({ pattern: 'x'.repeat(60_000) }) }, 'packet', 'x'.repeat(255)],
  ])('takes the type from %s', (_, facts, form, type) => {
    expect(open(facts)).toMatchObject({ form, type });
  });

  it.each([
    ['report.rake.fetch', 600_000],
    ['game.open', 15_000],
    ['no.such.command', 15_000],
    ['constructor', 15_000],
  ])('gives %s the budget of its lane, also if its deadline cannot be read', (type, budgetMs) => {
    for (const headers of [{}, { 'x-deadline': 'tomorrow' }])
      expect(open({ properties: { type }, headers }).deadlineAtMs).toBe(RECEIVED_AT_MS + budgetMs);
  });

  it.each([
    ['200 bytes', 'a'.repeat(200), true],
    ['200 bytes in 100 characters', '\u00EB'.repeat(100), true],
    ['201 bytes', 'a'.repeat(201), false],
    ['202 bytes in 101 characters', '\u00EB'.repeat(101), false],
    ['no text', 7, false],
    ['bytes that are not UTF-8, as they are read', '\udc00\udc80', false],
  ])('reads the id of a property or a packet: %s', (_, id, isTaken) => {
    for (const [facts, pointer] of [
      [{ properties: { messageId: id as string } }, '/properties/message_id'],
      [{ body: packet({ id }), properties: { messageId: 'other' } }, '/id'],
    ] as const) {
      expect(open(facts)).toMatchObject({
        id: isTaken ? id : 'made-up',
        correlationId: isTaken ? id : 'made-up',
        violations: isTaken ? [] : [{ pointer, message: 'must be a string of at most 200 bytes of UTF-8' }],
      });
    }
  });

  const violates = (pointer: string) => ({ violations: [expect.objectContaining({ pointer })] });
  it.each<[header: string, value: unknown, expected: object]>([
    ['schema-version', 1, { fault: undefined, violations: [] }],
    ['schema-version', 2, { fault: { code: 'UNSUPPORTED_VERSION' }, violations: [] }],
    ['schema-version', -1, { fault: { code: 'UNSUPPORTED_VERSION' }, violations: [] }],
    ['schema-version', '1', { fault: undefined, ...violates('/headers/schema-version') }],
    ['schema-version', 1.5, { fault: undefined, ...violates('/headers/schema-version') }],
    ['x-cancel-with-queue', true, { cancelsWithQueue: false, violations: [] }],
    ['x-cancel-with-queue', 'true', { cancelsWithQueue: false, ...violates('/headers/x-cancel-with-queue') }],
    ['operator', null, { operator: 'default', violations: [] }],
    ['operator', '', { operator: '', violations: [] }],
    ['operator', 7, { operator: '', ...violates('/headers/operator') }],
    ['operator', { name: 'casino' }, { operator: '', ...violates('/headers/operator') }],
    ['traceparent', TRACEPARENT, { traceparent: TRACEPARENT }],
    ['traceparent', TRACEPARENT.toUpperCase(), { traceparent: undefined }],
    ['traceparent', [TRACEPARENT], { traceparent: undefined }],
  ])('reads the header %s %j as %j', (header, value, expected) => {
    expect(open({ headers: { [header]: value } })).toMatchObject(expected);
  });

  it.each([
    ['gzip', /content_encoding/],
    ['utf-8', /Send the data/],
    [undefined, /Send the data/],
  ])('names content_encoding if that is %s and the body cannot be read', (contentEncoding, message) => {
    const { fault } = open({ properties: { contentEncoding }, body: Buffer.of(0x1f, 0x8b) });
    expect(fault).toMatchObject({ code: 'MALFORMED_MESSAGE', message: expect.stringMatching(message) });
    expect(open({ properties: { contentEncoding } }).fault).toBeUndefined();
  });

  it('does not include values in violations of properties and headers', () => {
    const { violations } = open({
      properties: { messageId: 'CANARY'.repeat(40) },
      headers: { operator: ['CANARY'], 'x-deadline': 'CANARY', 'schema-version': 'CANARY' },
    });
    expect(violations).toHaveLength(4);
    expect(JSON.stringify(violations)).not.toContain('CANARY');
  });

  it('uses the broker user as caller, in a sealed copy the original user, and ignores unsealed claims', () => {
    expect(open({ properties: { userId: 'shop' } }).caller).toBe('shop');
    expect(open({ headers: { 'x-origin-user-id': 'shop' } }).caller).toBe('anonymous');
    const copy = messageOf({ headers: { 'x-origin-user-id': 'shop' }, properties: { userId: 'worker' } });
    expect(openEnvelope(sealed(copy), BUS_OF_SPEC).caller).toBe('shop');
  });
});

it.each([
  ['', 'none'],
  [42, 'none'],
  ['amq.rabbitmq.reply-to', 'none'],
  ['\ufffd'.repeat(86), 'none'],
  ['poker.interactive', 'forbidden'],
  ['amq.rabbitmq.reply-to.g1h2AA9yZXBseUA', 'direct'],
  ['amq.rabbitmq.reply-tomorrow', 'queue'],
  ['amq.gen-JzTY20BRgKO', 'queue'],
  ['pokerface', 'queue'],
  ['Poker.replies', 'queue'],
])('readReplyAddress finds in %j: %s', (replyTo, kind) => {
  const asked: string[] = [];
  const mayReplyTo = (_: string, queue: string): boolean => asked.push(queue) > 0;
  const address = readReplyAddress(replyTo, 'poker.', { mayRun: () => true, mayReplyTo }, 'shop');
  expect(address).toEqual(kind === 'queue' || kind === 'direct' ? { kind, queue: replyTo } : { kind });
  // A direct reply-to key is named like its pseudo-queue.
  if (asked.length > 0) expect(asked).toEqual([kind === 'direct' ? 'amq.rabbitmq.reply-to' : replyTo]);
});
