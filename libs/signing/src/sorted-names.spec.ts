import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { sortedNames } from './sorted-names.ts';

describe('sortedNames', () => {
  it('sorts by the bytes of UTF-8', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(fc.uniqueArray(text), (names) => {
        const members = Object.fromEntries(names.map((name) => [name, 1]));
        const byBytes = names.map((name) => Buffer.from(name)).sort(Buffer.compare);
        expect(sortedNames(members)).toEqual(byBytes.map(String));
      }),
    );
  });
});
