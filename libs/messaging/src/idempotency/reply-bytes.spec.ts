import { describe, expect, it } from '@jest/globals';

import { replyBytes } from './reply-bytes.ts';

const session = (auth: string) => ({
  type: 'session.created',
  data: { userId: 'p-1', sessionId: 's-1', auth, redirectUrl: 'https://play.example' },
});

describe('replyBytes', () => {
  it('is a few hundred for an ordinary reply', () => {
    expect(replyBytes(session('token'))).toBeGreaterThan(100);
    expect(replyBytes(session('token'))).toBeLessThan(500);
  });

  it('grows with its texts, at any depth', () => {
    const grown = replyBytes(session('x'.repeat(10_000))) - replyBytes(session(''));
    expect(grown).toBe(20_000);
    expect(replyBytes({ errors: [{ detail: 'y'.repeat(1_000) }] })).toBeGreaterThan(2_000);
  });

  it.each([null, undefined, 1, true])('counts %j', (value) => {
    expect(replyBytes({ value })).toBeGreaterThan(replyBytes({}));
  });
});
