import { describe, expect, it } from '@jest/globals';

import { formatAmount } from './format-amount.ts';

describe('formatAmount', () => {
  it.each([
    [28_831n, 2, '288.31'],
    [28_831n, 4, '2.8831'],
    [28_831n, 0, '28831'],
    [5n, 2, '0.05'],
    [0n, 2, '0.00'],
    [-5n, 2, '-0.05'],
    [-28_831n, 2, '-288.31'],
    [123_456_789_012_345_678_901n, 8, '1234567890123.45678901'],
  ])('writes %s with %s decimals as %s', (amount, precision, text) => {
    expect(formatAmount(amount, precision)).toBe(text);
  });

  it.each([null, undefined, -1, 1.5])('refuses a precision of %s', (precision) => {
    expect(() => formatAmount(1n, precision)).toThrow(RangeError);
  });
});
