import { expect, it } from '@jest/globals';

import { csvLine } from './formats.ts';

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
])('csvLine writes %j', (value, expected) => {
  expect(csvLine([value])).toBe(`${expected}\r\n`);
});
