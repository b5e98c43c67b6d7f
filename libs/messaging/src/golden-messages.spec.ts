import { describe, expect, it } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';

import { busNames, CommandError, type ErrorBody, type Reply } from '#contracts';
import type { OutgoingMessage } from '#rabbitmq';

import { messageOf } from '../../rabbitmq/src/message.fixture.ts';
import { commandOf, copiedCommandOf, pageOf, RECEIVED_AT_MS } from './command/command.fixture.ts';
import { copyOf } from './command/copy-of.ts';
import { errorBodyOf } from './command/settlement.ts';
import { sealed } from './envelope/bus.fixture.ts';
import { contentOf, replyMessage } from './replies/reply-message.ts';
import { Redriver } from './operator/redriver.ts';

type Facts = NonNullable<Parameters<typeof commandOf>[0]>;

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const NAMES = busNames('poker');
const PACKET = { body: { pattern: 'session.create', data: { userId: 'p-1' }, id: 'n-1' } };
const QUEUE = 'lobby';
const PAGE = pageOf(1);
const failed = (facts: Facts, code: ErrorBody['code'] = 'NOT_FOUND'): Reply => ({
  type: 'command.failed',
  data: errorBodyOf(new CommandError(code), commandOf(facts)),
});
const FOREIGN = {
  CC: ['spy'],
  'x-death': [{ queue: 'poker.reports', count: 9 }],
  'x-delivery-count': 9,
  'x-quarantine-starts': 9,
  'x-progress': '{}',
  'x-stalled-since': 9,
  'x-origin-user-id': 'somebody',
  'x-anything': 'else',
};
const WHOLE: Facts = {
  properties: {
    type: 'session.create',
    correlationId: 'c-1',
    contentType: 'application/json',
    contentEncoding: 'identity',
    appId: 'cashier',
    timestamp: 1_769_860_800,
    userId: 'cashier-user',
    expiration: '60000',
    priority: 9,
  },
  headers: {
    ...FOREIGN,
    operator: 'casino',
    'schema-version': 1,
    traceparent: TRACEPARENT,
    tracestate: 'a=b',
    'x-deadline': RECEIVED_AT_MS + 5_000,
  },
};

const REDRIVEN_BEFORE = { 'x-redriven': 2, 'x-sequence': 4, 'x-progress': '{"pages":3}' };
const DEATH = { reason: 'expired', queue: 'poker.interactive', 'routing-keys': ['session.create'] };
const redriver = new Redriver('poker', Buffer.alloc(32, 7));
const redriven = (letter: ConsumeMessage) => {
  const redriving = redriver.read(letter);
  expect(redriving.isProved).toBe(true);
  return redriver.commandOf(redriving);
};

/**
 * A message in a form that is easy to compare; `to` is exchange and routing key, with ! if it is mandatory.
 */
function brief({ exchange, routingKey, mandatory, properties, content }: OutgoingMessage) {
  const { headers, ...rest } = properties;
  return {
    to: `${exchange}:${routingKey}${mandatory ? '!' : ''}`,
    ...rest,
    headers,
    body: content.toString(),
  };
}

const REPLY = { correlationId: 'm-1', contentType: 'application/json', appId: 'poker-bridge' };
const COPY = { to: ':q!', messageId: 'm-1', type: 'session.create', replyTo: 'lobby' };
const BODY = '{"userId":"p-1"}';
const COPY_HEADERS = { operator: 'default', 'x-deadline': RECEIVED_AT_MS + 15_000 };
const SEALED = expect.stringMatching(/^[\w+/]{43}=$/);
const MADE_UP = expect.stringMatching(/^[0-9a-f-]{36}$/);
const GOLDEN: [name: string, actual: () => OutgoingMessage, expected: object][] = [
  [
    'a conflict, under an id of its own data',
    () => replyMessage(commandOf({}), failed({}, 'IDEMPOTENCY_CONFLICT'), QUEUE),
    {
      to: ':lobby!',
      ...REPLY,
      type: 'command.failed',
      messageId: 'm-1:conflict:63821b46174c5320',
      timestamp: RECEIVED_AT_MS / 1000,
      headers: {
        'command-id': 'm-1',
        'command-type': 'session.create',
        sequence: 0,
        final: true,
        'schema-version': 1,
      },
      body: JSON.stringify(failed({}, 'IDEMPOTENCY_CONFLICT').data),
    },
  ],
  [
    'a copy, which keeps what the contract lists and nothing else',
    () => copyOf(commandOf(WHOLE), { queue: NAMES.quarantine }),
    {
      ...COPY,
      to: ':poker.quarantine!',
      correlationId: 'c-1',
      contentType: 'application/json',
      contentEncoding: 'identity',
      appId: 'cashier',
      timestamp: 1_769_860_800,
      headers: {
        operator: 'casino',
        'schema-version': 1,
        traceparent: TRACEPARENT,
        tracestate: 'a=b',
        'x-deadline': RECEIVED_AT_MS + 5_000,
        'x-origin-user-id': 'cashier-user',
      },
      body: BODY,
    },
  ],
  [
    'a copy of a bare command, with its identity, its type and its deadline',
    () => copyOf(commandOf({ properties: { messageId: undefined, replyTo: undefined } }), { queue: 'q' }),
    { to: ':q!', messageId: 'made-up', type: 'session.create', headers: COPY_HEADERS, body: BODY },
  ],
  [
    'a copy of a packet, which would not be one with a type',
    () => copyOf(commandOf(PACKET), { queue: 'q' }),
    {
      to: ':q!',
      messageId: 'n-1',
      replyTo: 'lobby',
      headers: COPY_HEADERS,
      body: JSON.stringify(PACKET.body),
    },
  ],
  [
    'a copy of a copy, which remembers whose command it was and how often it was redriven',
    () =>
      copyOf(copiedCommandOf({ headers: { 'x-origin-user-id': 'cashier', 'x-redriven': 2 } }), {
        queue: 'q',
        headers: { 'x-reason': 'NOT_FOUND' },
      }),
    {
      ...COPY,
      headers: { ...COPY_HEADERS, 'x-origin-user-id': 'cashier', 'x-redriven': 2, 'x-reason': 'NOT_FOUND' },
      body: BODY,
    },
  ],
  [
    'a redriven report, whose replies are numbered on, with a new budget and no attempts',
    () =>
      redriven(sealed(messageOf({ properties: { type: 'report.rake.fetch' }, headers: REDRIVEN_BEFORE }))),
    {
      to: ':poker.reports!',
      messageId: MADE_UP,
      type: 'report.rake.fetch',
      headers: { operator: 'default', 'x-redriven': 3, 'x-sequence': 4, 'x-seal': SEALED },
      body: BODY,
    },
  ],
  [
    'a redriven command that the broker dead-lettered itself',
    () =>
      redriven(
        messageOf({ properties: { userId: 'shop' }, headers: { 'x-death': [DEATH] }, routingKey: 'q' }),
      ),
    {
      to: ':poker.interactive!',
      messageId: MADE_UP,
      type: 'session.create',
      headers: { operator: 'default', 'x-redriven': 1, 'x-origin-user-id': 'shop', 'x-seal': SEALED },
      body: BODY,
    },
  ],
  [
    'a redriven command that this version does not know, which a worker moves',
    () => redriven(messageOf({ properties: { type: 'session.destroy' } })),
    {
      to: ':poker.interactive!',
      messageId: MADE_UP,
      type: 'session.destroy',
      headers: { operator: 'default', 'x-redriven': 1, 'x-seal': SEALED },
      body: BODY,
    },
  ],
];

// test/e2e/commands tests replies, packets and announcements as callers receive them.
describe('on the wire', () => {
  it.each(GOLDEN)('%s', (_, actual, expected) => {
    expect(brief(actual())).toEqual(expected);
    // The publisher writes into these headers.
    expect(actual().properties.headers).not.toBe(actual().properties.headers);
  });

  it.each([
    ['that is too long for a header', 'x'.repeat(100_000), 'x'.repeat(1024)],
    ['that is no text', ['casino'], ''],
    ['that is empty', '', ''],
  ])('a copy never has the operator default for one %s', (_, operator, expected) => {
    const { headers } = copyOf(commandOf({ headers: { operator } }), { queue: 'q' }).properties;
    expect(headers['operator']).toBe(expected);
  });

  it.each(['x-seal', 'x-origin-user-id'])(
    'a dead letter that a caller forged with %s is not proved',
    (name) => {
      expect(redriver.read(messageOf({ headers: { [name]: 'shop' } })).isProved).toBe(false);
    },
  );

  it('a copy drops values that cannot be written again', () => {
    const long = '�'.repeat(255);
    const properties = { type: long, correlationId: long, replyTo: long, appId: long, timestamp: 2 ** 64 };
    const headers = { 'schema-version': -1e300, traceparent: 'x'.repeat(1025), tracestate: { a: 1 } };
    const copy = copyOf(commandOf({ properties, headers }), { queue: 'q' });
    expect(Object.keys(copy.properties).toSorted()).toEqual(['headers', 'messageId']);
    expect(copy.properties.headers).toEqual({ ...COPY_HEADERS, 'schema-version': '-1e+300' });
    const bare = commandOf({ properties: { replyTo: 'amq.rabbitmq.reply-to' } });
    expect(copyOf(bare, { queue: 'q' }).properties).not.toHaveProperty('replyTo');
  });

  it.each([0, 1, 2])('a page with %i serialized records equals the page serialized as a whole', (count) => {
    const records = Array.from({ length: count }, (_, id) => ({ id: `"records":[] ${id}`, records: [] }));
    const data = { ...PAGE.data, precisions: { '"records":[]': 2 } };
    const page = { ...PAGE, data: { ...data, records } } as Reply;
    for (const facts of [{}, PACKET]) {
      const written = records.map((record, at) =>
        Buffer.from(`${at === 0 ? '' : ','}${JSON.stringify(record)}`),
      );
      const content = contentOf(commandOf(facts).envelope, { type: 'report.page', data, written });
      expect(content.toString()).toBe(replyMessage(commandOf(facts), page, QUEUE).content.toString());
      expect(written).toEqual([]);
    }
  });
});
