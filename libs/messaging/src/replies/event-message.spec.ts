import { describe, expect, it } from '@jest/globals';

import { CommandError, ERROR_CODES, type ErrorCode, type Reply } from '#contracts';

import { commandOf, RECEIVED_AT_MS } from '../command/command.fixture.ts';
import { errorBodyOf } from './error-body-of.ts';
import { eventMessage, isAnnounced } from './event-message.ts';

const CREATED: Reply = {
  type: 'session.created',
  data: { userId: 'p-1', sessionId: 's-1', auth: 'CANARY', redirectUrl: 'https://play.example/?auth=CANARY' },
};
const OPENED: Reply = {
  type: 'game.opened',
  data: { id: 'g-1', playerId: 'p-1', sessionId: 's-1', auth: 'CANARY', url: 'https://play.example/CANARY' },
};
const COMPLETED: Reply = {
  type: 'report.completed',
  data: { report: 'rake', pages: 1, records: 1, totalCount: 1, changedWhileReading: false },
};
const failed = (code: ErrorCode): Reply => ({
  type: 'command.failed',
  data: errorBodyOf(new CommandError(code), commandOf(), RECEIVED_AT_MS),
});

function eventOf(reply: Reply, facts: Parameters<typeof commandOf>[0] = {}) {
  const { envelope } = commandOf(facts);
  return eventMessage('poker.events', {
    envelope,
    reply,
    sequence: 0,
    messageId: 'm-1:0',
    nowMs: RECEIVED_AT_MS,
  });
}
const bodyOf = ({ content }: { content: Buffer }): unknown => JSON.parse(content.toString());

describe('isAnnounced', () => {
  it.each([
    ['errors', failed('NOT_FOUND'), true],
    ['errors', CREATED, false],
    ['all', failed('NOT_FOUND'), true],
    ['all', CREATED, true],
    ['none', failed('NOT_FOUND'), false],
    ['none', CREATED, false],
  ] as const)('under the policy %s: $type', (policy, reply, expected) => {
    expect(isAnnounced(reply, policy)).toBe(expected);
  });
});

describe('eventMessage', () => {
  it.each([
    [CREATED, { userId: 'p-1', sessionId: 's-1' }],
    [OPENED, { id: 'g-1', playerId: 'p-1', sessionId: 's-1' }],
    [COMPLETED, COMPLETED.data],
  ])('announces a success without tokens and the URLs that hold them: $type', (reply, expected) => {
    const event = eventOf(reply);
    expect(event).toMatchObject({ exchange: 'poker.events', routingKey: reply.type, mandatory: false });
    expect(bodyOf(event)).toEqual(expected);
    expect(JSON.stringify(event.properties)).not.toContain('CANARY');
  });

  it.each([CREATED, OPENED, COMPLETED, failed('NOT_FOUND')])(
    'shows no member that is not declared public: $type',
    (reply) => {
      const data: object = { ...reply.data, added: 'CANARY' };
      const later = { type: reply.type, data } as Reply;
      expect(bodyOf(eventOf(later))).toEqual(bodyOf(eventOf(reply)));
    },
  );

  it.each(Object.keys(ERROR_CODES) as ErrorCode[])('routes %s by its code, with the error body', (code) => {
    const event = eventOf(failed(code));
    expect(event.routingKey).toBe(`command.failed.${code}`);
    expect(bodyOf(event)).toEqual(JSON.parse(JSON.stringify(failed(code).data)));
  });

  it('has the identity and the properties of its reply', () => {
    const facts = { properties: { correlationId: 'c-1' } };
    expect(eventOf(failed('NOT_FOUND'), facts).properties).toMatchObject({
      type: 'command.failed',
      messageId: 'm-1:0',
      correlationId: 'c-1',
      appId: 'poker-bridge',
      headers: { 'command-id': 'm-1', 'command-type': 'session.create', final: true },
    });
  });

  it('is never a packet, whatever form the command had', () => {
    const body = { pattern: 'session.create', data: { userId: 'p-1' }, id: 'n-1' };
    expect(bodyOf(eventOf(failed('NOT_FOUND'), { body }))).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('leaves the reply itself as it is', () => {
    const before = structuredClone(CREATED);
    eventOf(CREATED);
    expect(CREATED).toEqual(before);
  });
});
