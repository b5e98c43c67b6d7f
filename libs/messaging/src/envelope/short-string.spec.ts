import { describe, expect, it } from '@jest/globals';

import { isShortString } from './short-string.ts';

describe('isShortString', () => {
  it.each([
    ['', true],
    ['x'.repeat(255), true],
    ['x'.repeat(256), false],
    ['é'.repeat(127), true],
    ['é'.repeat(128), false],
    [Buffer.alloc(85, 0xff).toString(), true],
    [Buffer.alloc(86, 0xff).toString(), false],
    [undefined, false],
    [7, false],
  ])('of %j: %s', (value, expected) => {
    expect(isShortString(value)).toBe(expected);
  });
});
