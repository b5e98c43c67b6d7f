import { describe, expect, it } from '@jest/globals';

import type { Reply } from '#contracts';

import { parseReply } from './redis-reply.ts';

const opened: Reply = {
  type: 'game.opened',
  data: { id: 'g-1', playerId: 'ünï\u2028', sessionId: 's-1', auth: 'a', url: 'https://example.com' },
};

describe('parseReply', () => {
  it('gives back what was stored', () => {
    expect(parseReply(JSON.stringify(opened))).toEqual(opened);
  });

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
