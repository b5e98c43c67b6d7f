import { describe, expect, it } from '@jest/globals';

import type { Reply } from '#contracts';

import { InternalKeys } from '../envelope/seal.ts';
import { RedisEntries } from './redis-entries.ts';

const keysOf = (byte: number) => new InternalKeys(Buffer.alloc(32, byte));
const entries = new RedisEntries('poker', keysOf(7));
const name = entries.nameOf('identity', 'fingerprint');
const otherData = entries.nameOf('identity', 'other');
const another = entries.nameOf('another', 'fingerprint');
const OPENED: Reply = {
  type: 'game.opened',
  data: { id: 'g-1', playerId: 'ünï\u2028', sessionId: 's-1', auth: 'CANARY', url: 'https://example.com' },
};
const store = (reply: Reply): string => entries.outcomeOf(name, reply);
const read = (stored: string | null) => entries.read(stored, name);

it('nameOf returns the same name for workers with one key, and another one without that key', () => {
  expect(new RedisEntries('poker', keysOf(7)).nameOf('identity', 'fingerprint')).toMatchObject({
    key: name.key,
    fingerprint: name.fingerprint,
  });
  expect(name.key).toMatch(/^poker:identity:[\w-]{43}$/);
  const guessed = new RedisEntries('poker', keysOf(8)).nameOf('identity', 'fingerprint');
  expect(guessed.key).not.toBe(name.key);
  expect(guessed.fingerprint).not.toBe(name.fingerprint);
});

describe('RedisEntries', () => {
  it('returns the stored reply, which cannot be read without the key', () => {
    const stored = store(OPENED);
    expect(read(stored)).toEqual({ kind: 'settled', reply: OPENED });
    expect(Buffer.from(stored.split(' ')[2]!, 'base64').toString('latin1')).not.toContain('CANARY');
    expect(new Set(Array.from({ length: 1_000 }, () => store(OPENED).split(' ')[2]?.slice(0, 16))).size).toBe(
      1_000,
    );
    expect(entries.read(stored, otherData)).toEqual({ kind: 'conflict' });
    expect(new RedisEntries('poker', keysOf(8)).read(stored, name)).toBeUndefined();
  });

  it.each([
    null,
    '',
    JSON.stringify(OPENED),
    `outcome ${name.fingerprint}`,
    `outcome ${name.fingerprint} ${Buffer.alloc(100).toString('base64')}`,
  ])('counts as absent if no worker wrote it: %s', (stored) => {
    expect(read(stored)).toBeUndefined();
  });

  it('counts as absent if one bit was changed, it was truncated, or it was written for another command', () => {
    const [kind, fingerprint, sealed = ''] = store(OPENED).split(' ');
    const bytes = Buffer.from(sealed, 'base64');
    const again = (changed: Buffer) => read(`${kind} ${fingerprint} ${changed.toString('base64')}`);
    for (const at of [0, 12, 28, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      expect(again(changed)).toBeUndefined();
    }
    expect(again(bytes.subarray(0, -1))).toBeUndefined();
    expect(again(bytes)).toMatchObject({ kind: 'settled' });
    for (const other of [otherData, another])
      expect(entries.read(`${kind} ${other.fingerprint} ${sealed}`, other)).toBeUndefined();
  });

  it('can be read after the key has changed, and is then written with the new one', () => {
    const keys = keysOf(7);
    const changed = new RedisEntries('poker', keys);
    const before = store(OPENED);
    keys.rotate(Buffer.alloc(32, 8));
    expect(changed.nameOf('identity', 'fingerprint').key).toBe(name.key);
    expect(changed.read(before, name)).toMatchObject({ kind: 'settled' });
    expect(read(changed.outcomeOf(name, OPENED))).toBeUndefined();
  });
});
