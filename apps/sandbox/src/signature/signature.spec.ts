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

const rowsOf = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../../test/vectors/${name}`, import.meta.url), 'utf8')) as Row[];
const conventions = (settings: Record<string, string>) => readConventions(new VariableReader(settings));

// Those of PHP were computed by PHP 8.2 itself, with the program beside the file.
describe.each(['signing.json', 'signing-php.json'])('the golden signatures of %s', (name) => {
  it.each(rowsOf(name))('$name', ({ parameters, secret, settings, canonical, sign }) => {
    expect(signedContent(parameters, conventions(settings))).toBe(canonical);
    expect(isSignature(sign, canonical, secret)).toBe(true);
  });
});

it('keeps the digits of integers beyond 2^53, up to the 64 bits of PHP', () => {
  const parameters = { a: 9007199254740993n, b: 12345678901234567890n, c: 1e25, d: 0.5 };
  const canonical = '90071992547409931.2345678901235E+191.0E+250.5';
  expect(signedContent(parameters, conventions({}))).toBe(canonical);
});
