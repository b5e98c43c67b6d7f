import { describe, expect, it } from '@jest/globals';

import { announcedData, isFinalReplyType, REPLIES, type Reply } from './replies.ts';

describe('replies', () => {
  it.each([
    ['session.created', true],
    ['game.opened', true],
    ['report.page', false],
    ['report.completed', true],
    ['command.failed', true],
    ['session.create', false],
    ['constructor', false],
    ['', false],
    [undefined, false],
    [{}, false],
  ])('%j ends its command: %j', (type, expected) => {
    expect(isFinalReplyType(type)).toBe(expected);
  });
});

describe('announcedData', () => {
  const announced = (type: string, data: object) => announcedData({ type, data } as Reply);

  it.each<[string, readonly string[]]>([
    ['session.created', ['userId', 'sessionId']],
    ['game.opened', ['id', 'playerId', 'sessionId']],
    ['report.page', []],
    ['report.completed', ['report', 'pages', 'records', 'totalCount', 'changedWhileReading']],
  ])('of %s holds only the public members', (type, expected) => {
    const [example] = REPLIES.get(type)?.examples ?? [];
    const data: object = { added: 'CANARY', ...(example?.data as object) };
    expect(Object.keys(announced(type, data))).toEqual(expected);
  });

  it('of command.failed holds the error body', () => {
    const body = { code: 'NOT_FOUND', attempts: 1, retryAfterMs: 5 };
    expect(announced('command.failed', { ...body, added: 'CANARY' })).toEqual(body);
  });

  it('of an unknown type holds nothing', () => {
    expect(announced('session.create', { userId: 'CANARY' })).toEqual({});
  });
});
