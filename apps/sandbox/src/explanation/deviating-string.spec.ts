import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readConventions } from '../clients/conventions.ts';
import { Environment } from '../settings/environment.ts';
import type { Parameters } from '../signature/canonical-string.ts';
import { deviatingString } from './deviating-string.ts';

interface Row {
  readonly name: string;
  readonly parameters: Parameters;
  readonly settings: Record<string, string>;
  readonly canonical: string;
}

const rows = ['signing.json', 'signing-php.json'].flatMap(
  (name) =>
    JSON.parse(readFileSync(new URL(`../../../../test/vectors/${name}`, import.meta.url), 'utf8')) as Row[],
);

describe('deviating string', () => {
  it.each(rows)(
    'without a deviation is the canonical string of "$name"',
    ({ parameters, settings, canonical }) => {
      expect(deviatingString(parameters, readConventions(new Environment(settings), ''), {})).toBe(canonical);
    },
  );
});
