import { createHash } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { canonicalJson, dataDigest } from './fingerprint.ts';

/** Any value that JSON can hold, as a body brings it. */
const parsed = fc.json({ maxDepth: 4 }).map((text): unknown => JSON.parse(text));

/** The same value, with the members of every object inserted the other way round. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  const copy = {};
  for (const [name, member] of Object.entries(value).reverse()) {
    // `__proto__` is a name like any other.
    Object.defineProperty(copy, name, { value: reordered(member), enumerable: true });
  }
  return copy;
}

describe('canonicalJson', () => {
  it.each([
    ['{"b":1,"a":2}', '{"a":2,"b":1}'],
    ['[{"b":[],"a":{}}, 2]', '[{"a":{},"b":[]},2]'],
    ['[2,1]', '[2,1]'],
    ['{"10":1,"9":2,"a":3,"B":4}', '{"10":1,"9":2,"B":4,"a":3}'],
    ['{"\u{1F0A1}":1,"\uFFFD":2}', '{"\u{1F0A1}":1,"\uFFFD":2}'],
    ['{"__proto__":{"b":1,"a":2}}', '{"__proto__":{"a":2,"b":1}}'],
    ['1.50e1', '15'],
    ['"\\u0061\\/"', '"a/"'],
    ['null', 'null'],
    ['{"a":null}', '{"a":null}'],
  ])('writes %s as %s', (text, expected) => {
    expect(canonicalJson(JSON.parse(text))).toBe(expected);
  });

  it('writes a member that is undefined as one that is absent', () => {
    expect(canonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}');
  });

  it('is JSON of the same value, so that different values differ', () => {
    fc.assert(
      fc.property(parsed, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('is its own canonical form', () => {
    fc.assert(
      fc.property(parsed, (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it('does not ask in which order members were written', () => {
    fc.assert(
      fc.property(parsed, (value) => {
        expect(canonicalJson(reordered(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it.each([
    [{ a: 1 }, { a: '1' }],
    [{ a: null }, {}],
    [
      [1, 2],
      [2, 1],
    ],
    [[], {}],
    [{ a: { b: 1 } }, { a: 1, b: 1 }],
    [{ 'a":1,"b': 1 }, { a: 1, b: 1 }],
  ])('tells %j from %j', (left, right) => {
    expect(canonicalJson(left)).not.toBe(canonicalJson(right));
  });

  it('follows launch options as deep as a command may have them', () => {
    const depth = 512;
    const text = '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
    expect(canonicalJson(JSON.parse(text))).toBe(text);
  });
});

describe('canonicalJson of many members', () => {
  it('has them in the order of their names, however many there are', () => {
    const text = fc.string({ unit: 'binary', maxLength: 5 });
    fc.assert(
      fc.property(fc.dictionary(text, text, { maxKeys: 30, noNullPrototype: true }), (members) => {
        const parts = Object.keys(members)
          .sort()
          .map((name) => `${JSON.stringify(name)}:${JSON.stringify(members[name])}`);
        expect(canonicalJson(members)).toBe(`{${parts.join(',')}}`);
      }),
      { numRuns: 500 },
    );
  });
});

describe('dataDigest', () => {
  it('is the SHA-256 of the canonical JSON in UTF-8, lowercase hex', () => {
    const expected = createHash('sha256').update('{"a":"\u00EB","b":1}', 'utf8').digest('hex');
    expect(dataDigest({ b: 1, a: '\u00EB' })).toBe(expected);
  });
});
