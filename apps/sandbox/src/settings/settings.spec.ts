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

  it.each([
    ['SANDBOX_PORT', '65536', 'must be an integer from 0 to 65535'],
    ['SANDBOX_UNKNOWN_PLAYERS', 'ignore', 'must be one of create, refuse'],
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
