import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { VariableReader } from '#settings';
import { readConventions } from '../settings/clients.ts';
import { isSignature, type Parameters, signedContent } from './signature.ts';

interface Row {
  readonly name: string;
  readonly parameters: Parameters;
  readonly secret: string;
  readonly settings: Record<string, string>;
  readonly canonical: string;
  readonly sign: string;
}

const textOf = (name: string) =>
  readFileSync(new URL(`../../../../test/vectors/${name}`, import.meta.url), 'utf8');
const rowsOf = (name: string) => JSON.parse(textOf(name)) as Row[];
const conventions = (settings: Record<string, string>) => readConventions(new VariableReader(settings));

// The signatures in signing-php.json were computed by PHP 8.2, with the program in the same folder.
describe.each(['signing.json', 'signing-php.json'])('the golden signatures of %s', (name) => {
  it.each(rowsOf(name))('$name', ({ parameters, secret, settings, canonical, sign }) => {
    expect(signedContent(parameters, conventions(settings))).toBe(canonical);
    expect(isSignature(sign, canonical, secret)).toBe(true);
  });
});

const CLIENTS = { SIGNATURE_JSON_STRINGS: 'none', SIGNATURE_EXCLUDED: 'client-id' };
const PHP_CLIENTS = { ...CLIENTS, SIGNATURE_REPEATED_NAMES: 'last' };
/** Settings of each variant in platform.json. */
const VARIANTS: Readonly<Record<string, Record<string, string>>> = {
  a1: { ...PHP_CLIENTS, SIGNATURE_SORTING: 'by-value' },
  a2: { ...PHP_CLIENTS, SIGNATURE_SORTING: 'top' },
  a3: { SIGNATURE_JSON_PLACEMENT: 'merge-top', SIGNATURE_REPEATED_NAMES: 'last' },
  a4: { SIGNATURE_JSON_PLACEMENT: 'merge-top' },
  a5: { SIGNATURE_REPEATED_NAMES: 'last' },
  a6: {},
  b1: { ...CLIENTS, SIGNATURE_SCALARS: 'json' },
  b2: { SIGNATURE_JSON_STRINGS: 'none', SIGNATURE_SCALARS: 'json' },
  b3: { ...CLIENTS, SIGNATURE_SCALARS: 'python' },
  c: {},
};

describe('the variants of platform.json', () => {
  const { vectors } = JSON.parse(textOf('platform.json')) as {
    vectors: { name: string; parameters: Parameters; results: { variants: string[]; canonical: string }[] }[];
  };

  // Floats of JavaScript and Python are excluded because the interface has none.
  it.each(vectors)('$name', ({ parameters, results }) => {
    for (const { variants, canonical } of results)
      for (const variant of variants.filter((name) => !canonical.includes('1e+25') || !name.startsWith('b')))
        expect({ variant, is: signedContent(parameters, conventions(VARIANTS[variant] ?? {})) }).toEqual({
          variant,
          is: canonical,
        });
  });
});

it('keeps all digits of integers beyond 2^53, up to 64 bits as in PHP', () => {
  const parameters = { a: 9007199254740993n, b: 12345678901234567890n, c: 1e25, d: 0.5 };
  const canonical = '90071992547409931.2345678901235E+191.0E+250.5';
  expect(signedContent(parameters, conventions({}))).toBe(canonical);
});
