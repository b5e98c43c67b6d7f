import { describe, expect, it } from '@jest/globals';

import { type AdHocRecord, readRecord } from './records.ts';

describe('readRecord', () => {
  it('reads amounts as bigint, and nothing else', () => {
    const record = { id: 'p-1', moneyType: 1, win: 5, loss: -0, rake: 12_345_678_901_234_567_890n, level: 3 };
    expect(readRecord<AdHocRecord>(record)).toEqual({
      id: 'p-1',
      moneyType: 1,
      win: 5n,
      loss: 0n,
      rake: 12_345_678_901_234_567_890n,
      level: 3,
    });
  });

  it.each([1.5, '7', null])('passes on %s, which a lenient worker does', (value) => {
    expect(readRecord({ id: 'p-1', value })).toEqual({ id: 'p-1', value });
  });
});
