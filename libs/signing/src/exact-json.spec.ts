import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import { parseExactJson } from './exact-json.ts';

describe('parseExactJson', () => {
  it('reads every integer with all its digits, wherever it is', () => {
    const places = ['%', ' \t%', '[%]', '[0,%]', '[\n%]', '{"a":%}', '{"a":\r%}', '{"a":"x","b": %}'];
    fc.assert(
      fc.property(fc.bigInt(), fc.constantFrom(...places), (integer, place) => {
        const read = parseExactJson(place.replace('%', String(integer)));
        const last = typeof read === 'object' ? Object.values(read as object).at(-1) : read;
        expect(String(last)).toBe(String(integer));
      }),
    );
  });

  it('takes no reviver for digits within a string', () => {
    const parse = jest.spyOn(JSON, 'parse');
    parseExactJson('{"auth":"3e4f-1234567890123456789","session-id":"9E9"}');
    expect(parse.mock.calls).toEqual([['{"auth":"3e4f-1234567890123456789","session-id":"9E9"}']]);
    parse.mockRestore();
  });

  it.each([
    ['9007199254740991', 9007199254740991],
    ['12345678901234567890.5', 12345678901234567000],
    ['1e400', Infinity],
    ['-0', -0],
    ['"12345678901234567890"', '12345678901234567890'],
  ])('reads %s', (text, expected) => expect(parseExactJson(text)).toBe(expected));

  it('reads a number that a double does not hold as the caller asks', () => {
    const keep = (digits: string): string => `<${digits}>`;
    expect(parseExactJson('{"a":[9007199254740993,1e400,1e30,1.5,7]}', keep)).toEqual({
      a: ['<9007199254740993>', '<1e400>', '<1e30>', 1.5, 7],
    });
  });

  it.each(['{', '{"a":1234567890123456'])('does not parse %s', (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });
});
