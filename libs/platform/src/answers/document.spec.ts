import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { isInteger, parseBody } from './document.ts';

describe('parseBody', () => {
  it('writes every integer back as it was', () => {
    fc.assert(
      fc.property(fc.bigInt(), (amount) => {
        const text = `{"amounts":[${amount}]}`;
        expect(JSON.stringify(parseBody(text))).toBe(text);
      }),
    );
  });

  it.each(['1e400', '-1e400', '1e30', '12345678901234567890.5', '9007199254740993'])('keeps %s', (source) => {
    expect(JSON.stringify(parseBody(`[${source}]`))).toBe(`[${source}]`);
  });
});

describe('isInteger', () => {
  it.each([
    ['28831', true],
    ['-0', true],
    ['1e3', true],
    ['12345678901234567890', true],
    ['1e30', false],
    ['12345678901234567890.5', false],
    ['0.5', false],
    ['"1"', false],
    ['null', false],
    ['{"rawJSON":"1"}', false],
  ])('%s: %s', (text, expected) => {
    expect(isInteger(parseBody(text))).toBe(expected);
  });
});
