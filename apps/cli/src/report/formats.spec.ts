import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import { expect, it } from '@jest/globals';

import { ReportFacts } from './facts.ts';
import { csvLine, type Format, FORMATS } from './formats.ts';

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
  ['x;=1+1', `"x;'=1+1"`],
  ['x; @a;b', `"x; '@a;b"`],
  ['x\n=1', `"x\n'=1"`],
  [-28_831, '-28831'],
  [90_071_992_547_409_931n, '90071992547409931'],
  [true, 'true'],
  [undefined, ''],
  [null, ''],
  [{ a: [1n] }, '"{""a"":[1]}"'],
])('csvLine writes %j', (value, expected) => {
  expect(csvLine([value])).toBe(`${expected}\r\n`);
});

it.each<Format>(['ndjson', 'json'])('%s escapes Unicode line separators', async (format) => {
  const records = ['\u0085', '\u2028', '\u2029'].map((end) => ({ id: `a${end}b` }));
  const written = await text(
    FORMATS[format](Readable.from(records), new ReportFacts('rake'), { summary: '' }),
  );
  const lines = written.split(/[\n\u0085\u2028\u2029]/).filter((line) => line.startsWith('{'));
  expect(lines.map((line) => JSON.parse(line.replace(/,$/, '')) as object)).toEqual(records);
});

it('writes CSV with a decimal comma that spreadsheets read as a number', async () => {
  const facts = new ReportFacts('rake', new Map([['EUR', 2]]));
  const record = { id: 'a,b', userId: 'x;=1', currency: 'EUR', value: -201 };
  const written = await text(FORMATS.csv(Readable.from([record]), facts, { decimalComma: true }));
  expect(written.split('\r\n')).toEqual([
    'id;userId;currency;value;valueDecimal',
    `"a,b";"x;'=1";EUR;-201;-2,01`,
    '',
  ]);
});
