import { describe, expect, it } from '@jest/globals';

import { internalKeyOf } from './internal-key.ts';

const keyOf = (internalKey: string | undefined, ...secretKeys: (string | undefined)[]) =>
  internalKeyOf(
    internalKey,
    secretKeys.map((secretKey) => ({ secretKey })),
  ).toString('hex');

describe('internalKeyOf', () => {
  it('is the same for workers with the same operators, in any order', () => {
    expect(keyOf(undefined, 'a', 'b', undefined)).toBe(keyOf(undefined, 'b', 'a', 'a'));
    expect(keyOf(undefined, 'a', 'b')).toMatch(/^[0-9a-f]{64}$/);
  });

  it('differs by every secret key', () => {
    const keys = [['a'], ['b'], ['a', 'b'], ['ab']].map((secrets) => keyOf(undefined, ...secrets));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('is derived from INTERNAL_KEY alone if there is one', () => {
    expect(keyOf('internal', 'a')).toBe(keyOf('internal', 'b'));
    expect(keyOf('internal')).not.toBe(keyOf(undefined, 'internal'));
  });
});
