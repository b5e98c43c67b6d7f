import { describe, expect, it } from '@jest/globals';

import type { OperatorCredentials } from '#platform';

import { readSettings } from './settings.ts';
import { warningsOf } from './warnings.ts';

const VARIABLES = {
  PLATFORM_BASE_URL: 'https://api.example.com/api/web',
  PLATFORM_API_URL: 'https://api.example.com',
  PLATFORM_CLIENT_ID: 'client',
};
const operator = (secretKey: string | undefined) => ({ secretKey }) as OperatorCredentials;

function warnings(variables: Record<string, string>, ...secretKeys: (string | undefined)[]) {
  const environment = { ...VARIABLES, ...variables };
  return warningsOf(readSettings(environment), secretKeys.map(operator), environment);
}

describe('warningsOf', () => {
  it('has nothing to say of settings that look right', () => {
    expect(warnings({}, 'secret')).toEqual([]);
    expect(
      warnings({ CALLERS_FILE: 'callers.json', INTERNAL_KEY: 'k'.repeat(32) }, undefined, undefined),
    ).toEqual([]);
  });

  it.each([
    [
      'a variable that is misspelled',
      { PLATFORM_SECRT_KEY: 'CANARY' },
      ['secret'],
      /^PLATFORM_SECRT_KEY.*PLATFORM_SECRET_KEY/,
    ],
    [
      'a base address without a path',
      { PLATFORM_BASE_URL: 'https://api.example.com' },
      ['secret'],
      /no path/,
    ],
    ['several operators for every caller', {}, ['secret', 'other'], /all 2 operators; CALLERS_FILE/],
    ['no secret key at all', {}, [undefined], /INTERNAL_KEY/],
  ])('names %s', (_, variables, secretKeys, warning) => {
    expect(warnings(variables, ...secretKeys)).toEqual([expect.stringMatching(warning)]);
    expect(warnings(variables, ...secretKeys).join()).not.toContain('CANARY');
  });
});
