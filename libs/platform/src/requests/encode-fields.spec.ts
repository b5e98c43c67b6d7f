import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { encodeFields } from './encode-fields.ts';

describe('encodeFields', () => {
  it('encodes spaces and pluses so that every decoder reads them alike', () => {
    expect(encodeFields({ a: 'x + y', 'per-page': '1', b: '%2B&=' })).toBe(
      'a=x%20%2B%20y&per-page=1&b=%252B%26%3D',
    );
  });

  it('leaves out what is absent, and keeps what is empty', () => {
    expect(encodeFields({ a: undefined, b: '', c: undefined, d: 'x' })).toBe('b=&d=x');
    expect(encodeFields({})).toBe('');
  });

  it('is decoded by URLSearchParams to what was encoded', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(fc.dictionary(text, text), (fields) => {
        expect([...new URLSearchParams(encodeFields(fields))]).toEqual(Object.entries(fields));
      }),
    );
  });
});
