import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { encodeFields } from './requests.ts';

describe('encodeFields', () => {
  it('encodes spaces and pluses so that every decoder reads them alike, and leaves out what is absent', () => {
    const fields = { a: 'x + y', 'per-page': '1', absent: undefined, b: '%2B&=', empty: '' };
    expect(encodeFields(fields)).toBe('a=x%20%2B%20y&per-page=1&b=%252B%26%3D&empty=');
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
