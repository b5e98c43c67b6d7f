import { describe, expect, it } from '@jest/globals';

import type { Reply } from '#contracts';

import { dataText } from './data-text.ts';

const created = (auth: string): Reply => ({
  type: 'session.created',
  data: { userId: 'p-1', sessionId: 's-1', auth, redirectUrl: 'https://play.example' },
});

describe('dataText', () => {
  it('is the data of the reply that is asked for, whichever was asked for before', () => {
    const [first, second] = [created('a'), created('b')];
    for (const reply of [first, first, second, second, first, created('c')]) {
      expect(dataText(reply)).toBe(JSON.stringify(reply.data));
    }
  });
});
