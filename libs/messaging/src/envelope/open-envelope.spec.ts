import { describe, expect, it } from '@jest/globals';

import { type MessageFacts, messageOf } from '../../../rabbitmq/src/consuming/message.fixture.ts';
import { ENVELOPE_RULES, RECEIVED_AT_MS, SEAL_OF_SPEC, SpecCallers } from './envelope-rules.fixture.ts';
import { openEnvelope } from './open-envelope.ts';

const RULES = ENVELOPE_RULES;
const NOW_MS = RECEIVED_AT_MS;

const open = (facts?: MessageFacts) => openEnvelope(messageOf(facts), RULES);
const packet = (members: object) => ({ pattern: 'session.create', data: { userId: 'p-1' }, ...members });

describe('openEnvelope', () => {
  it('reads a command without any property', () => {
    expect(open()).toEqual({
      form: 'typed',
      id: 'made-up',
      type: 'session.create',
      correlationId: 'made-up',
      replyTo: { kind: 'none' },
      operator: 'default',
      caller: 'anonymous',
      own: {},
      deadlineAtMs: NOW_MS + 15_000,
      traceparent: undefined,
      data: { userId: 'p-1' },
      fault: undefined,
      violations: [],
    });
  });

  it('reads a command with every property', () => {
    const properties = { type: 'game.open', messageId: 'm-1', correlationId: 'c-1', replyTo: 'lobby' };
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const deadlineAtMs = NOW_MS + 5_000;
    const headers = { operator: 'casino', 'x-deadline': deadlineAtMs, 'schema-version': 1, traceparent };
    expect(open({ properties, headers, routingKey: 'session.create' })).toMatchObject({
      id: 'm-1',
      type: 'game.open',
      correlationId: 'c-1',
      replyTo: { kind: 'queue', queue: 'lobby' },
      operator: 'casino',
      deadlineAtMs,
      traceparent,
      fault: undefined,
      violations: [],
    });
  });

  it('reads a message without headers', () => {
    const message = messageOf();
    expect(
      openEnvelope({ ...message, properties: { ...message.properties, headers: undefined } }, RULES),
    ).toEqual(open());
  });

  it.each([
    ['the property', { properties: { type: 'game.open' } }, 'typed', 'game.open'],
    ['the routing key', { properties: { type: '' } }, 'typed', 'session.create'],
    ['the packet', { body: packet({ pattern: 'game.open' }) }, 'packet', 'game.open'],
    ['the property, over a packet', { properties: { type: 'x' }, body: packet({}) }, 'typed', 'x'],
    ['no text of a packet', { body: packet({ pattern: { cmd: 'game.open' } }) }, 'packet', ''],
  ])('takes the type from %s', (_, facts, form, type) => {
    expect(open(facts)).toMatchObject({ form, type });
  });

  it('cuts the type of a packet at what fits a property', () => {
    expect(open({ body: packet({ pattern: 'x'.repeat(60_000) }) }).type).toHaveLength(255);
  });

  it.each([
    ['report.rake.fetch', 600_000],
    ['game.open', 15_000],
    ['no.such.command', 15_000],
    ['constructor', 15_000],
  ])('gives %s the budget of its lane', (type, budgetMs) => {
    expect(open({ properties: { type } }).deadlineAtMs).toBe(NOW_MS + budgetMs);
  });

  it.each([
    ['a letter', 'a'],
    ['200 bytes', 'a'.repeat(200)],
    ['200 bytes in 100 characters', '\u00EB'.repeat(100)],
  ])('takes an id of %s, as correlation id too', (_, messageId) => {
    expect(open({ properties: { messageId } })).toMatchObject({
      id: messageId,
      correlationId: messageId,
      violations: [],
    });
    expect(open({ body: packet({ id: messageId }) })).toMatchObject({ id: messageId, violations: [] });
  });

  it.each([
    ['201 bytes', 'a'.repeat(201)],
    ['202 bytes in 101 characters', '\u00EB'.repeat(101)],
  ])('refuses an id of %s, and makes one up', (_, messageId) => {
    const message = 'must be a string of at most 200 bytes';
    expect(open({ properties: { messageId, correlationId: 'c-1' } })).toMatchObject({
      id: 'made-up',
      correlationId: 'c-1',
      violations: [{ pointer: '/properties/message_id', message }],
    });
    expect(open({ body: packet({ id: messageId }) })).toMatchObject({
      id: 'made-up',
      violations: [{ pointer: '/id', message }],
    });
  });

  it('refuses the id of a packet that is no text', () => {
    expect(open({ body: packet({ id: 7 }) })).toMatchObject({
      id: 'made-up',
      violations: [{ pointer: '/id' }],
    });
  });

  it.each([
    ['without an id', {}],
    ['with an empty id', { messageId: '' }],
  ])('makes up an id for a command %s, and refuses nothing', (_, properties) => {
    expect(open({ properties })).toMatchObject({ id: 'made-up', violations: [] });
  });

  it('takes the identity of a packet from the packet alone', () => {
    expect(open({ properties: { messageId: 'm-1' }, body: packet({ id: 'n-1' }) }).id).toBe('n-1');
  });

  it.each([
    [undefined, undefined, []],
    [1, undefined, []],
    [2, 'UNSUPPORTED_VERSION', []],
    [0, 'UNSUPPORTED_VERSION', []],
    [-1, 'UNSUPPORTED_VERSION', []],
    ['1', undefined, ['/headers/schema-version']],
    [1.5, undefined, ['/headers/schema-version']],
    [true, undefined, ['/headers/schema-version']],
  ])('finds in schema-version %j: %s', (version, code, pointers) => {
    const { fault, violations } = open({ headers: { 'schema-version': version } });
    expect(fault?.code).toBe(code);
    expect(violations.map(({ pointer }) => pointer)).toEqual(pointers);
  });

  it('tells of a body that cannot be read before its version', () => {
    const envelope = open({ body: [], headers: { 'schema-version': 2 } });
    expect(envelope.fault?.code).toBe('MALFORMED_MESSAGE');
  });

  it.each([
    [undefined, 'default', []],
    [null, 'default', []],
    ['casino', 'casino', []],
    ['', '', []],
    [7, '', ['/headers/operator']],
    [{ name: 'casino' }, '', ['/headers/operator']],
  ])('finds in operator %j: %j', (operator, expected, pointers) => {
    const envelope = open({ headers: { operator } });
    expect(envelope.operator).toBe(expected);
    expect(envelope.violations.map(({ pointer }) => pointer)).toEqual(pointers);
  });

  it("gives a command with an unreadable deadline its lane's budget to be refused in", () => {
    expect(
      open({ headers: { 'x-deadline': 'tomorrow' }, properties: { type: 'report.rake.fetch' } }),
    ).toMatchObject({
      deadlineAtMs: NOW_MS + 600_000,
      violations: [
        { pointer: '/headers/x-deadline', message: 'must be ISO 8601 with a zone, or epoch milliseconds' },
      ],
    });
  });

  it('tells every fault of its properties and headers at once, and repeats no value', () => {
    const { violations } = open({
      properties: { messageId: 'CANARY'.repeat(40) },
      headers: { operator: ['CANARY'], 'x-deadline': 'CANARY', 'schema-version': 'CANARY' },
    });
    expect(violations.map(({ pointer }) => pointer)).toEqual([
      '/properties/message_id',
      '/headers/x-deadline',
      '/headers/operator',
      '/headers/schema-version',
    ]);
    expect(JSON.stringify(violations)).not.toContain('CANARY');
  });

  it.each([
    ['capital letters', '00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01'],
    ['a word', 'trace'],
    ['a list', ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01']],
  ])('drops a traceparent that is %s', (_, traceparent) => {
    expect(open({ headers: { traceparent } }).traceparent).toBeUndefined();
  });

  it('names the broker user as its caller, and nobody that a header names', () => {
    expect(open({ properties: { userId: 'shop' } }).caller).toBe('shop');
    expect(open({ headers: { 'x-origin-user-id': 'shop' } }).caller).toBe('anonymous');
  });

  it('names the user of the original as the caller of a copy', () => {
    const headers = { operator: 'default', 'x-origin-user-id': 'shop' };
    const { properties, body } = { properties: { messageId: 'm-1' }, body: Buffer.from('{}') };
    const copy = { exchange: '', routingKey: 'any', content: body, mandatory: true };
    const sealed = SEAL_OF_SPEC.seal({ ...copy, properties: { ...properties, headers } });
    const facts = { properties, body, headers: { ...sealed.properties.headers } };
    expect(open(facts).caller).toBe('shop');
    expect(open({ ...facts, properties: { ...properties, userId: 'worker' } }).caller).toBe('shop');
  });

  it('takes no reply queue that the caller may not name', () => {
    const rules = { ...RULES, callers: new SpecCallers((caller, queue) => queue === `${caller}.replies`) };
    const from = (userId: string) =>
      openEnvelope(messageOf({ properties: { userId, replyTo: 'shop.replies' } }), rules).replyTo;
    expect(from('shop')).toEqual({ kind: 'queue', queue: 'shop.replies' });
    expect(from('cashier')).toEqual({ kind: 'forbidden' });
  });
});
