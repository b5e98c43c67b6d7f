import { describe, expect, it } from '@jest/globals';

import { RedisNames } from './redis-names.ts';

const KEY = Buffer.alloc(32, 7);
const names = new RedisNames('poker', KEY);
const name = names.nameOf('identity', 'fingerprint');

describe('RedisNames', () => {
  it('gives all workers with one key the same name', () => {
    expect(new RedisNames('poker', Buffer.from(KEY)).nameOf('identity', 'fingerprint')).toEqual(name);
    expect(name.key).toMatch(/^poker:identity:[0-9a-f]{64}$/);
  });

  it('cannot be computed without the key of the workers', () => {
    const guessed = new RedisNames('poker', Buffer.alloc(32, 8)).nameOf('identity', 'fingerprint');
    expect(guessed.key).not.toBe(name.key);
    expect(guessed.fingerprint).not.toBe(name.fingerprint);
  });

  it('tells other data under one identity from the same, and hides it under two', () => {
    const changed = names.nameOf('identity', 'other');
    expect(changed.key).toBe(name.key);
    expect(changed.fingerprint).not.toBe(name.fingerprint);
    expect(names.nameOf('another', 'fingerprint').fingerprint).not.toBe(name.fingerprint);
  });
});
