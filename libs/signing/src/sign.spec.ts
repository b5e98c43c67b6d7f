import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

import { sign, signedText } from './sign.ts';
import {
  DEFAULT_SIGNATURE_SETTINGS,
  EVERY_SIGNATURE_SETTING,
  SIGNATURE_VARIABLES,
  type SignatureSettings,
  type SignedParameters,
} from './signature-settings.ts';

interface Vector {
  readonly name: string;
  readonly parameters: SignedParameters;
  readonly secret: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly canonical: string;
  readonly sign: string;
}

function settingsOf({ settings }: Pick<Vector, 'settings'>): SignatureSettings {
  const overrides = Object.entries(settings).map(([variable, value]) => [
    SIGNATURE_VARIABLES[variable as keyof typeof SIGNATURE_VARIABLES].member,
    value,
  ]);
  return { ...DEFAULT_SIGNATURE_SETTINGS, ...Object.fromEntries(overrides) };
}

// PHP 8.2 computed the signatures of signing-php.json; the program is in the same folder.
describe.each(['signing.json', 'signing-php.json'])('the golden signatures of %s', (file) => {
  const vectors = readFileSync(new URL(`../../../test/vectors/${file}`, import.meta.url), 'utf8');

  it.each(JSON.parse(vectors) as Vector[])('$name', (vector) => {
    const settings = settingsOf(vector);
    expect(signedText(vector, settings)).toBe(vector.canonical);
    expect(sign(vector, vector.secret, settings)).toBe(vector.sign);
  });
});

interface PlatformRow {
  readonly name: string;
  readonly parameters: SignedParameters;
  readonly secret: string;
  readonly results: readonly {
    readonly variants: readonly string[];
    readonly canonical: string;
    readonly sign: string;
    /** The settings that produce this signature, or the reason why none do. */
    readonly product: string | Vector['settings'];
  }[];
}

describe('signatures of independent programs', () => {
  const text = readFileSync(new URL('../../../test/vectors/platform.json', import.meta.url), 'utf8');
  const { vectors } = JSON.parse(text) as { vectors: readonly PlatformRow[] };

  it.each(vectors)('$name', ({ parameters, secret, results }) => {
    for (const { variants, canonical, sign: expected, product } of results) {
      if (typeof product === 'string') {
        const texts = EVERY_SIGNATURE_SETTING.map((settings) => signedText({ parameters }, settings));
        expect({ variants, product, texts }).not.toEqual({
          variants,
          product: expect.stringMatching(/^cannot be expressed: /),
          texts: expect.arrayContaining([canonical]),
        });
      } else {
        const signature = sign({ parameters }, secret, settingsOf({ settings: product }));
        expect({ variants, signature }).toEqual({ variants, signature: expected });
      }
    }
  });
});

describe('cases outside the golden signatures', () => {
  const canonical = (parameters: SignedParameters, overrides = {}) =>
    signedText({ parameters }, { ...DEFAULT_SIGNATURE_SETTINGS, ...overrides });

  it('writes JSON numbers like numbers in decoded strings', () => {
    const numbers = [1.5, 1e25, 9007199254740993n, 12345678901234567890n, 0, -0];
    expect(canonical({ numbers })).toBe('1.51.0E+2590071992547409931.2345678901235E+1900');
  });

  it('ignores undefined members', () => {
    expect(canonical({ a: undefined, b: { c: undefined, d: 'x' } }, { scalars: 'json' })).toBe('x');
  });

  it('signs the bytes of the body only with the scheme raw-body', () => {
    const request = { parameters: { a: '1' } };
    const body = '{"a": 1}';
    const raw: SignatureSettings = { ...DEFAULT_SIGNATURE_SETTINGS, schemeV3: 'raw-body' };
    expect(signedText({ ...request, body }, raw)).toBe(body);
    expect(signedText(request, raw)).toBe('1');
    expect(signedText({ ...request, body }, DEFAULT_SIGNATURE_SETTINGS)).toBe('1');
  });

  it('signs thousands of deeply nested values within 50 ms', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(500)}[${'1,'.repeat(3_000)}1]${'}'.repeat(500)}`);
    const used = process.threadCpuUsage();
    expect(canonical({ deep })).toHaveLength(3_001);
    expect(process.threadCpuUsage(used).user / 1_000).toBeLessThan(50);
  });
});
