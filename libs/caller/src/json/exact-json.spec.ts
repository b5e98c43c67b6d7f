import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { parseExactJson } from './exact-json.ts';

describe('parseExactJson', () => {
  it('reads every integer with all its digits', () => {
    fc.assert(
      fc.property(fc.bigInt(), (integer) => {
        const [read] = parseExactJson(`[${integer}]`) as [number | bigint];
        expect(String(read)).toBe(String(integer));
      }),
    );
  });

  it('reads everything else as JSON.parse does, also beside a long integer', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const [long, read] = parseExactJson(`[1234567890123456789,${text}]`) as [unknown, unknown];
        expect(long).toBe(1_234_567_890_123_456_789n);
        // A whole number that a double holds may be beyond 2^53, too.
        expect(
          JSON.stringify(read, (_name, member) => (typeof member === 'bigint' ? Number(member) : member)),
        ).toBe(text);
      }),
    );
  });

  it.each([
    ['"12345678901234567890"', '12345678901234567890'],
    [String.raw`"\"a\":12345678901234567890,"`, '"a":12345678901234567890,'],
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['12345678901234567890.5', 12345678901234567000],
    ['0.12345678901234567890', 0.12345678901234568],
    ['1.5e-1234567890123456', 0],
    ['{"a":-12345678901234567890}', { a: -12345678901234567890n }],
  ])('reads %s', (text, expected) => {
    expect(parseExactJson(text)).toEqual(expected);
  });

  it('does not parse what is not JSON', () => {
    expect(() => parseExactJson('{')).toThrow(SyntaxError);
    expect(() => parseExactJson('{"a":1234567890123456')).toThrow(SyntaxError);
  });
});
