import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { canonicalize, sign } from './sign.ts';
import { phpFloat, phpNumber } from './php-number.ts';
import {
  DEFAULT_SIGNATURE_SETTINGS,
  type SignatureSettings,
  type SignedParameters,
} from './signature-settings.ts';
import { sortedNames } from './trace-signature.ts';

interface Vector {
  readonly name: string;
  readonly parameters: SignedParameters;
  readonly secret: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly canonical: string;
  readonly sign: string;
}

const MEMBER_OF_VARIABLE: Readonly<Record<string, keyof SignatureSettings>> = {
  SIGNATURE_SCALARS: 'scalars',
  SIGNATURE_OPEN_GAME_CLIENT: 'openGameClient',
  SIGNATURE_JSON_STRINGS: 'jsonStrings',
  SIGNATURE_JSON_PLACEMENT: 'jsonPlacement',
  SIGNATURE_EXCLUDE: 'exclude',
  SIGNATURE_SCHEME_V3: 'schemeV3',
};
const vectorsOf = (name: string): Vector[] =>
  JSON.parse(readFileSync(new URL(`../../../test/vectors/${name}`, import.meta.url), 'utf8')) as Vector[];

function settingsOf({ settings }: Vector): SignatureSettings {
  const overrides = Object.entries(settings).map(([variable, value]) => [
    MEMBER_OF_VARIABLE[variable] ?? variable,
    value,
  ]);
  return { ...DEFAULT_SIGNATURE_SETTINGS, ...Object.fromEntries(overrides) };
}

function expectGolden(vector: Vector): void {
  const settings = settingsOf(vector);
  expect(canonicalize(vector.parameters, settings)).toBe(vector.canonical);
  expect(sign(vector.parameters, vector.secret, settings)).toBe(vector.sign);
}

describe('golden signatures', () => {
  it.each(vectorsOf('signing.json'))('$name', expectGolden);
});

// Computed by PHP 8.2 itself, with the program beside them.
describe('golden signatures of PHP', () => {
  it.each(vectorsOf('signing-php.json'))('$name', expectGolden);
});

const settings = fc.record<SignatureSettings>({
  scalars: fc.constantFrom('php', 'json'),
  openGameClient: fc.constantFrom('keep', 'drop'),
  jsonStrings: fc.constantFrom('containers', 'all', 'none'),
  jsonPlacement: fc.constantFrom('in-place', 'merge'),
  exclude: fc.constantFrom('top', 'deep'),
  schemeV3: fc.constant('parameters'),
});
const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'client', 'page'));
/** As a request is read: from text, so that `__proto__` is a name like any other. */
const parameters = fc
  .array(fc.tuple(name, fc.jsonValue()), { maxLength: 8 })
  .map((entries) => Object.fromEntries(entries) as SignedParameters);

describe('every signature', () => {
  it('does not depend on the order of insertion, at any depth', () => {
    fc.assert(
      fc.property(parameters, settings, (given, any) => {
        // If two strings hold the same member, `merge` takes it from the later one.
        const how: SignatureSettings = { ...any, jsonPlacement: 'in-place' };
        expect(sign(reversed(given), 'secret', how)).toBe(sign(given, 'secret', how));
      }),
    );
  });
});

function reversed(value: unknown): SignedParameters {
  if (typeof value !== 'object' || value === null) return value as SignedParameters;
  if (Array.isArray(value)) return value.map(reversed) as unknown as SignedParameters;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

describe('sortedNames', () => {
  it('sorts by the bytes of UTF-8', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(fc.uniqueArray(text), (names) => {
        const members = Object.fromEntries(names.map((key) => [key, 1]));
        const byBytes = names.map((key) => Buffer.from(key)).sort(Buffer.compare);
        expect(sortedNames(members)).toEqual(byBytes.map(String));
      }),
    );
  });
});

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
