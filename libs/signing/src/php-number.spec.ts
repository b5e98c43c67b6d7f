import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { phpFloat, phpNumber } from './php-number.ts';

// What PHP 8.2 writes is in test/vectors/signing-php.json; this holds for every number.
describe('phpFloat', () => {
  it('is the number with 14 significant digits', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const written = Number(phpFloat(value));
        expect(Math.abs(written - value)).toBeLessThanOrEqual(Math.abs(value) * 5.000_001e-14 + 5e-324);
        expect(phpFloat(written)).toBe(phpFloat(value));
      }),
    );
  });

  it('has an exponent only beyond 14 digits before, or four zeros after the point', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-4, max: 99_999_999_999_999, noNaN: true }), (value) => {
        expect(phpFloat(value)).toMatch(/^\d{1,14}$|^\d{1,14}\.\d{0,17}[1-9]$/);
        expect(phpFloat(value * 1e15 + 1e15)).toMatch(/^\d\.(?:0|\d{0,12}[1-9])E\+\d+$/);
        expect(phpFloat(-value / 1e14)).toMatch(/^-(?:0\.0{0,3}|\d\.)(?:0|\d{0,13}[1-9])(?:E-\d+)?$/);
      }),
    );
  });
});

describe('phpNumber', () => {
  it('is every integer of 64 bits digit for digit', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (integer) => {
        expect(phpNumber(String(integer), Number(integer))).toBe(String(integer));
      }),
    );
  });
});
