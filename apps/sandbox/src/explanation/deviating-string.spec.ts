import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readConventions } from '../clients/conventions.ts';
import { Environment } from '../settings/environment.ts';
import type { Parameters } from '../signature/canonical-string.ts';
import { deviatingString } from './deviating-string.ts';

const file = new URL('../../../../test/vectors/signing.json', import.meta.url);
const rows = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly name: string;
  readonly parameters: Parameters;
  readonly settings: Record<string, string>;
  readonly canonical: string;
}[];

describe('deviating string', () => {
  it.each(rows)(
    'without a deviation is the canonical string of "$name"',
    ({ parameters, settings, canonical }) => {
      expect(deviatingString(parameters, readConventions(new Environment(settings), ''), {})).toBe(canonical);
    },
  );
});
