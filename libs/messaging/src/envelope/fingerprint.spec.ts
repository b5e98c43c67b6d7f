import { createHash } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { canonicalJson, dataDigest } from './fingerprint.ts';

/** Any JSON value, as parsed from a body. */
const parsed = fc.json({ maxDepth: 4 }).map((text): unknown => JSON.parse(text));

/** The same value, with the members of every object inserted in reverse order. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  const copy = {};
  for (const [name, member] of Object.entries(value).reverse()) {
    // `__proto__` is an ordinary member name.
    Object.defineProperty(copy, name, { value: reordered(member), enumerable: true });
  }
  return copy;
}

describe('canonicalJson', () => {
  it.each([
    ['[{"b":[],"a":{}}, 2]', '[{"a":{},"b":[]},2]'],
    ['{"10":1,"9":2,"a":3,"B":4}', '{"10":1,"9":2,"B":4,"a":3}'],
    ['{"\u{1F0A1}":1,"\uFFFD":2}', '{"\u{1F0A1}":1,"\uFFFD":2}'],
    ['{"__proto__":{"b":1,"a":2}}', '{"__proto__":{"a":2,"b":1}}'],
    ['1.50e1', '15'],
    ['"\\u0061\\/"', '"a/"'],
    ['{"a":null}', '{"a":null}'],
  ])('writes %s as %s', (text, expected) => {
    expect(canonicalJson(JSON.parse(text))).toBe(expected);
  });

  it('returns JSON of the same value for any order of its members, so that different values differ', () => {
    fc.assert(
      fc.property(parsed, (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reordered(value))).toBe(text);
      }),
    );
  });
});

it('dataDigest returns the SHA-256 of the canonical JSON in UTF-8, in lowercase hex', () => {
  const expected = createHash('sha256').update('{"a":"\u00EB","b":1}', 'utf8').digest('hex');
  expect(dataDigest({ b: 1, a: '\u00EB' })).toBe(expected);
});
