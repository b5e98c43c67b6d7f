import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { VariableReader } from '#settings';
import { readConventions } from '../settings/clients.ts';
import { canonicalString, expectedSignature, type Parameters } from './signature.ts';

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
const conventions = (settings: Record<string, string> = {}) => readConventions(new VariableReader(settings));
const content = (parameters: Parameters) => ({ version: 'v3' as const, parameters, body: Buffer.alloc(0) });

describe('signature', () => {
  const expectGolden = ({ parameters, secret, settings, canonical, sign }: Row) => {
    expect(canonicalString(parameters, conventions(settings))).toBe(canonical);
    expect(expectedSignature(content(parameters), secret, conventions(settings))).toBe(sign);
  };

  it.each(rowsOf('signing.json'))('agrees with the golden row "$name"', expectGolden);

  // computed by PHP 8.2 itself, with the program beside the file
  it.each(rowsOf('signing-php.json'))('agrees with PHP on "$name"', expectGolden);
});

describe('canonical string', () => {
  const canonical = (parameters: Parameters, settings?: Record<string, string>) =>
    canonicalString(parameters, conventions(settings));

  it('decodes a string once, and not the strings in it', () => {
    const inner = JSON.stringify({ b: 2, a: 1 });
    expect(canonical({ nick: JSON.stringify({ z: inner, y: 'x' }) })).toBe(`x${inner}`);
  });

  it('decodes strings at any depth', () => {
    expect(canonical({ data: { list: ['[3,1]', { x: '{"b":"2","a":"1"}' }] } })).toBe('3112');
  });

  it('keeps the digits of integers beyond 2^53, up to the 64 bits of PHP', () => {
    expect(canonical({ nick: '{"a":9007199254740993}' })).toBe('9007199254740993');
    expect(canonical({ a: 9007199254740993n, b: 12345678901234567890n, c: 1e25, d: 0.5 })).toBe(
      '90071992547409931.2345678901235E+191.0E+250.5',
    );
  });

  it('puts a parameter that is a position before the items that join', () => {
    const parameters = { 0: 'a', nick: '["b","c"]' };
    expect(canonical(parameters, { SIGNATURE_JSON_PLACEMENT: 'merge' })).toBe('abc');
  });

  it('treats a member named __proto__ like any other', () => {
    expect(canonical({ data: JSON.parse('{"__proto__":"p","a":"1"}') as unknown })).toBe('p1');
  });
});
