import { describe, expect, it } from '@jest/globals';

import type { ErrorBody, Reply, ReplyType } from '#contracts';

import { commandOf, RECEIVED_AT_MS } from '../command/command.fixture.ts';
import { isFinal, replyMessage } from './reply-message.ts';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const QUEUE = { kind: 'queue', queue: 'lobby' } as const;

const ERROR: ErrorBody = {
  code: 'NOT_FOUND',
  category: 'rejected',
  retryable: false,
  message: 'The platform has no such resource.',
  attempts: 1,
  command: { id: 'm-1', type: 'session.create' },
  occurredAt: '2026-01-31T12:00:00.000Z',
};
const REPLIES = {
  'session.created': {
    type: 'session.created',
    data: { userId: 'p-1', sessionId: 's-1', auth: 'a-1', redirectUrl: 'https://play.example/?auth=a-1' },
  },
  'game.opened': {
    type: 'game.opened',
    data: { id: 'g-1', playerId: 'p-1', sessionId: 's-1', auth: 'a-1', url: 'https://play.example/' },
  },
  'report.page': {
    type: 'report.page',
    data: { report: 'rake', page: 1, pageCount: 1, perPage: 500, totalCount: 1, precisions: {}, records: [] },
  },
  'report.completed': {
    type: 'report.completed',
    data: { report: 'rake', pages: 1, records: 1, totalCount: 1, changedWhileReading: false },
  },
  'command.failed': { type: 'command.failed', data: ERROR },
} satisfies { readonly [T in ReplyType]?: Reply & { type: T } };

function messageFor(reply: Reply, facts: Parameters<typeof commandOf>[0] = {}, sequence = 0) {
  const { envelope } = commandOf(facts);
  return replyMessage(
    { envelope, reply, sequence, messageId: `m-1:${sequence}`, nowMs: RECEIVED_AT_MS + 999 },
    QUEUE,
  );
}
const bodyOf = ({ content }: { content: Buffer }): unknown => JSON.parse(content.toString());

describe('replyMessage', () => {
  it('has the properties and headers of the contract', () => {
    const facts = { properties: { correlationId: 'c-1' }, headers: { traceparent: TRACEPARENT } };
    const { content, ...rest } = messageFor(REPLIES['session.created'], facts);
    expect(rest).toEqual({
      exchange: '',
      routingKey: 'lobby',
      mandatory: true,
      properties: {
        type: 'session.created',
        correlationId: 'c-1',
        messageId: 'm-1:0',
        contentType: 'application/json',
        timestamp: RECEIVED_AT_MS / 1000,
        appId: 'poker-bridge',
        headers: {
          'command-id': 'm-1',
          'command-type': 'session.create',
          sequence: 0,
          final: true,
          'schema-version': 1,
          traceparent: TRACEPARENT,
        },
      },
    });
    expect(JSON.parse(content.toString())).toEqual(REPLIES['session.created'].data);
  });

  it('has no traceparent if the command had none', () => {
    expect(messageFor(REPLIES['game.opened']).properties.headers).not.toHaveProperty('traceparent');
  });

  it('goes without mandatory to a direct key, since RabbitMQ 3 returns even what it delivered there', () => {
    const { envelope } = commandOf();
    const facts = { envelope, reply: REPLIES['game.opened'], sequence: 0, messageId: 'm-1:0', nowMs: 0 };
    const message = replyMessage(facts, { kind: 'direct', queue: 'amq.rabbitmq.reply-to.key' });
    expect(message).toMatchObject({ routingKey: 'amq.rabbitmq.reply-to.key', mandatory: false });
  });

  it.each(Object.values(REPLIES))('marks $type as final or not', (reply) => {
    const final = reply.type !== 'report.page';
    expect(isFinal(reply)).toBe(final);
    expect(messageFor(reply, {}, 7)).toMatchObject({
      properties: { type: reply.type, headers: { final, sequence: 7 } },
    });
  });

  it.each(Object.values(REPLIES))('carries the data alone as the body of $type', (reply) => {
    expect(bodyOf(messageFor(reply))).toEqual(JSON.parse(JSON.stringify(reply.data)));
  });

  it.each([
    ['session.created', { response: REPLIES['session.created'].data, isDisposed: true, id: 'n-1' }],
    ['report.page', { response: REPLIES['report.page'].data, id: 'n-1' }],
    ['report.completed', { response: REPLIES['report.completed'].data, isDisposed: true, id: 'n-1' }],
    ['command.failed', { err: ERROR, isDisposed: true, id: 'n-1' }],
  ] as const)("answers a packet with Nest's own for %s", (type, expected) => {
    const body = { pattern: 'session.create', data: { userId: 'p-1' }, id: 'n-1' };
    const message = messageFor(REPLIES[type], { body });
    expect(bodyOf(message)).toEqual(expected);
    expect(message.properties).toMatchObject({ type, headers: { 'command-id': 'n-1' } });
  });

  it('writes amounts digit for digit', () => {
    const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
    const records = [{ id: 'r-1', win: rawJSON('-123456789012345678901234567890') }];
    const page = { ...REPLIES['report.page'].data, records };
    const { content } = messageFor({ type: 'report.page', data: page });
    expect(content.toString()).toContain('"win":-123456789012345678901234567890}');
  });

  it('has fresh headers each time, since the publisher writes into them', () => {
    const [first, second] = [messageFor(REPLIES['game.opened']), messageFor(REPLIES['game.opened'])];
    first.properties.headers['x-publish-id'] = '1';
    expect(second.properties.headers).not.toHaveProperty('x-publish-id');
  });
});
