import { describe, expect, it } from '@jest/globals';

import { InternalKeys } from './internal-keys.ts';

const key = (byte: number) => Buffer.alloc(32, byte);
const bytesOf = (keys: InternalKeys) => keys.all.map(({ internal }) => internal[0]);

describe('InternalKeys', () => {
  it('derives a key for each purpose', () => {
    const derived = new InternalKeys(key(1)).current;
    expect(new Set(Object.values(derived).map((each) => each.toString('hex'))).size).toBe(4);
    expect(new InternalKeys(key(1)).current).toEqual(derived);
  });

  it('keeps the former keys, the newest first', () => {
    const keys = new InternalKeys(key(1));
    keys.rotate(key(2));
    keys.rotate(key(3));
    expect(bytesOf(keys)).toEqual([3, 2, 1]);
    expect(keys.current).toBe(keys.all[0]);
  });

  it('knows each key once, also one that is made current again', () => {
    const keys = new InternalKeys(key(1));
    keys.rotate(key(1));
    expect(bytesOf(keys)).toEqual([1]);
    keys.rotate(key(2));
    keys.rotate(key(1));
    expect(bytesOf(keys)).toEqual([1, 2]);
  });

  it('forgets the oldest of more than eight former keys', () => {
    const keys = new InternalKeys(key(0));
    for (let byte = 1; byte <= 9; byte += 1) keys.rotate(key(byte));
    expect(bytesOf(keys)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });
});
