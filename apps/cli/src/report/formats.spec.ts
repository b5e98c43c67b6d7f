import { describe, expect, it } from '@jest/globals';

import { csvLine } from './formats.ts';
import { decimalOf } from './records.ts';

describe('csvLine', () => {
  it.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "so"', '"say ""so"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', "'=1+1"],
    ['+49 1', "'+49 1"],
    ['-', "'-"],
    ['@sum', "'@sum"],
    ['\t=1', "'\t=1"],
    ['=cmd("a",b)', `"'=cmd(""a"",b)"`],
    ['-12', '-12'],
    ['+3.50', '+3.50'],
    ['a=1', 'a=1'],
    [-28_831, '-28831'],
    [90_071_992_547_409_931n, '90071992547409931'],
    [true, 'true'],
    [undefined, ''],
    [null, ''],
    [{ a: [1n] }, '"{""a"":[1]}"'],
  ])('writes %j', (value, expected) => {
    expect(csvLine([value])).toBe(`${expected}\r\n`);
  });
});

describe('decimalOf', () => {
  it.each([
    [28_831, 2, '288.31'],
    [9_007_199_254_740_993_123n, 8, '90071992547.40993123'],
    [7, null, undefined],
  ])('writes %s with %i decimals as %s', (amount, precision, expected) => {
    expect(decimalOf(amount, precision)).toBe(expected);
  });

  it.each([1.5, '7', null, undefined])('ignores %j', (amount) => {
    expect(decimalOf(amount, 2)).toBeUndefined();
  });
});
