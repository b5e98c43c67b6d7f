import { describe, expect, it } from '@jest/globals';
import { SettingsError } from '#settings';
import { readSettings } from './settings.ts';

function faultsOf(variables: Record<string, string>): readonly string[] {
  try {
    readSettings(variables);
  } catch (error) {
    if (error instanceof SettingsError) return error.message.split('\n');
    throw error;
  }
  return [];
}

describe('settings', () => {
  it('need no variable, and treat an empty one as unset', () => {
    const settings = readSettings({});
    expect(settings).toMatchObject({ host: '127.0.0.1', port: 3100, unknownPlayers: 'create' });
    expect(settings.publicUrl).toBeUndefined();
    const empty = { SANDBOX_PORT: '', SANDBOX_CLIENT_ID: '', SANDBOX_CURRENCIES: '' };
    expect(readSettings(empty)).toEqual(settings);
  });

  it('are read from the variables', () => {
    const settings = readSettings({
      SANDBOX_PORT: '0',
      SANDBOX_PUBLIC_URL: 'https://play.example/',
      SANDBOX_UNKNOWN_PLAYERS: 'refuse',
      SANDBOX_CURRENCIES: 'EUR, USD',
      SANDBOX_CURRENCY_MANDATORY: 'true',
      SANDBOX_RAKE_PARAMETERS_IN: 'query',
      SANDBOX_REPORT_RECORDS: '10000000',
    });
    expect(settings).toMatchObject({
      port: 0,
      publicUrl: 'https://play.example',
      unknownPlayers: 'refuse',
      currencies: { active: ['EUR', 'USD'], inactive: ['BRL'], mandatory: true },
      reports: { records: 10_000_000 },
    });
    expect(settings.clients[0]?.conventions.rakeParametersIn).toBe('query');
  });

  it.each([
    ['SANDBOX_PORT', '65536', 'must be an integer from 0 to 65535'],
    ['SANDBOX_PORT', '-1', 'must be an integer from 0 to 65535'],
    ['SANDBOX_LATENCY_MS', '1e3', 'must be an integer from 0 to 600000'],
    ['SANDBOX_UNKNOWN_PLAYERS', 'ignore', 'must be one of create, refuse'],
    ['SANDBOX_CURRENCY_MANDATORY', 'yes', 'must be one of false, true'],
    ['SANDBOX_SIGNATURE_SCALARS', 'python', 'must be one of php, json'],
    ['SANDBOX_PUBLIC_URL', 'https://play.example/path', 'must be an http or https address without a path'],
    ['SANDBOX_CURRENCIES', 'usd', 'must be upper-case codes, separated by commas'],
    ['SANDBOX_CURRENCIES', 'USD,USD', 'must not name one thing twice'],
    ['SANDBOX_INACTIVE_CURRENCIES', 'USD', 'names a currency of SANDBOX_CURRENCIES'],
  ])('refuse %s=%s', (name, value, reason) => {
    expect(faultsOf({ [name]: value })).toEqual([`${name}: ${reason}`]);
  });

  it('report every fault at once, and no value', () => {
    const faults = faultsOf({
      SANDBOX_PORT: 'hush',
      SANDBOX_SEED: 'hush',
      SANDBOX_SIGNATURE_SCHEME_V3: 'hush',
    });
    expect(faults).toHaveLength(3);
    expect(faults.join()).not.toContain('hush');
  });
});
