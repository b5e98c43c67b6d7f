import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import { parseExactJson } from './exact-json.ts';

describe('parseExactJson', () => {
  it('preserves all digits of an integer at any position', () => {
    const places = ['%', ' \t%', '[%]', '[0,%]', '[\n%]', '{"a":%}', '{"a":\r%}', '{"a":"x","b": %}'];
    fc.assert(
      fc.property(fc.bigInt(), fc.constantFrom(...places), (integer, place) => {
        const read = parseExactJson(place.replace('%', String(integer)));
        const last = typeof read === 'object' ? Object.values(read as object).at(-1) : read;
        expect(String(last)).toBe(String(integer));
      }),
    );
  });

  it('parses without a reviver when digits occur only within a string', () => {
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
  ])('parses %s', (text, expected) => expect(parseExactJson(text)).toBe(expected));

  it('converts numbers that a double cannot represent with the callback', () => {
    const keep = (digits: string): string => `<${digits}>`;
    expect(parseExactJson('{"a":[9007199254740993,1e400,1e30,1.5,7]}', keep)).toEqual({
      a: ['<9007199254740993>', '<1e400>', '<1e30>', 1.5, 7],
    });
  });

  it.each(['{', '{"a":1234567890123456'])('rejects %s', (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });
});
