import { describe, expect, it } from '@jest/globals';

import { COMMANDS, type Reply, REPLIES } from '#contracts';

import { parseReply } from './redis-reply.ts';

const opened: Reply = {
  type: 'game.opened',
  data: { id: 'g-1', playerId: 'ünï\u2028', sessionId: 's-1', auth: 'a', url: 'https://example.com' },
};

describe('parseReply', () => {
  it('gives back what was stored', () => {
    expect(parseReply(JSON.stringify(opened))).toEqual(opened);
  });

  // A final reply that is not known here would have every other worker do its command a second time.
  it.each(COMMANDS.flatMap(({ replies }) => replies.filter(({ final }) => final).map(({ type }) => type)))(
    'gives back %s with whatever members it has',
    (type) => {
      expect(parseReply(JSON.stringify({ type, data: { later: 1 } }))).toEqual({ type, data: { later: 1 } });
    },
  );

  it.each([...REPLIES.values()].filter(({ final }) => !final).map(({ type }) => type))(
    'takes for absent what ends no command: %s',
    (type) => {
      expect(parseReply(JSON.stringify({ type, data: {} }))).toBeUndefined();
    },
  );

  it.each([
    null,
    '',
    '{"type":"game.opened","da',
    'null',
    '[]',
    '"game.opened"',
    '{"type":"game.opened"}',
    '{"type":"game.opened","data":null}',
    '{"type":"report.page","data":{}}',
    '{"type":"constructor","data":{}}',
  ])('takes for absent what is no reply: %s', (text) => {
    expect(parseReply(text)).toBeUndefined();
  });
});
