import { describe, expect, it } from '@jest/globals';

import { DEFAULT_SIGNATURE_SETTINGS } from '#signing';

import { internalKeyOf, readOperators } from './operators.ts';
import { readSettings, VERSION } from './settings.ts';
import { faultsOf, reading, REQUIRED } from './settings.fixture.ts';

const ENVIRONMENT = {
  ...REQUIRED,
  PLATFORM_SECRET_KEY: 'key',
  CURRENCY_PRECISIONS: 'USD=2',
  SIGNATURE_SCALARS: 'json',
};
const DEFAULT = {
  name: 'default',
  baseUrl: 'https://api.example.com/api/web',
  apiUrl: 'https://api.example.com',
  clientId: 'client',
  secretKey: 'key',
  currencyPrecisions: new Map([['USD', 2]]),
  settings: {
    ...DEFAULT_SIGNATURE_SETTINGS,
    scalars: 'json',
    rakeParametersIn: 'form',
    extraMembers: undefined,
    clientKey: undefined,
    userAgent: `poker-bridge/${VERSION}`,
    playerCountryMember: 'country',
    sessionId: 'derive',
    sessionUserId: 'same',
    reportRecords: 'strict',
    urlSchemes: ['https'],
  },
};

/** Reads a file of operators with this content; `casino.key` contains a secret. */
function operatorsOf(content: unknown, environment = {}) {
  const files: Record<string, string> = {
    'operators.json': typeof content === 'string' ? content : JSON.stringify(content),
    'casino.key': 'casino-key\n',
    'empty.key': '\n',
  };
  const settings = readSettings({ ...ENVIRONMENT, ...environment, OPERATORS_FILE: 'operators.json' });
  return readOperators(settings, reading(files));
}

describe('readOperators', () => {
  it('returns only the default operator if OPERATORS_FILE is unset', () => {
    expect(readOperators(readSettings(ENVIRONMENT))).toEqual([DEFAULT]);
  });

  it('lets operators inherit URLs and settings from the default operator, but not its secret key and client key', () => {
    const environment = { PLATFORM_CLIENT_KEY: 'key-1' };
    const [standard, casino] = operatorsOf({ casino: { clientId: 'casino-client' } }, environment);
    expect(standard).toEqual({ ...DEFAULT, settings: { ...DEFAULT.settings, clientKey: 'key-1' } });
    expect(casino).toEqual({ ...DEFAULT, name: 'casino', clientId: 'casino-client', secretKey: undefined });
  });

  it.each([
    { secretKey: 'casino-key', currencyPrecisions: { USD: 4, mBTC: 5 } },
    { secretKeyFile: 'casino.key', currencyPrecisions: 'USD=4,mBTC=5' },
  ])('reads every member, as in %j', (members) => {
    const casino = {
      baseUrl: 'https://casino.example.com/api/web/',
      apiUrl: 'https://casino.example.com/',
      clientId: 'casino-client',
      ...members,
      settings: {
        SIGNATURE_SCALARS: 'php',
        RAKE_PARAMETERS_IN: 'both',
        PLATFORM_EXTRA_MEMBERS: 'session.create/gameCode, game.open/player/city',
        PLATFORM_CLIENT_KEY: 'casino-key-of-v3',
        PLATFORM_USER_AGENT: 'casino/1.0 (ops)',
        PLAYER_COUNTRY_MEMBER: 'countryCode',
      },
    };
    const { settings } = DEFAULT;
    expect(operatorsOf({ casino })[1]).toEqual({
      name: 'casino',
      baseUrl: 'https://casino.example.com/api/web',
      apiUrl: 'https://casino.example.com',
      clientId: 'casino-client',
      secretKey: 'casino-key',
      currencyPrecisions: new Map(Object.entries({ USD: 4, mBTC: 5 })),
      settings: {
        ...settings,
        scalars: 'php',
        rakeParametersIn: 'both',
        extraMembers: new Set(['session.create/gameCode', 'game.open/player/city']),
        clientKey: 'casino-key-of-v3',
        userAgent: 'casino/1.0 (ops)',
        playerCountryMember: 'countryCode',
      },
    });
  });

  it.each([
    ['{"casino": CANARY', 'is not JSON'],
    ['["CANARY"]', 'the file must be an object'],
    ['{"casino": "CANARY"}', '"casino" must be an object'],
  ])('rejects the file %j without quoting its content', (content, reason) => {
    expect(faultsOf(() => operatorsOf(content))).toEqual([`OPERATORS_FILE: ${reason}`]);
  });

  it.each([
    [
      { secretkey: 'CANARY' },
      ' has an unknown member "secretkey"; use baseUrl, apiUrl, clientId, secretKey, secretKeyFile, currencyPrecisions, settings',
    ],
    [{ clientId: undefined, secretKey: 'CANARY' }, ': clientId is required'],
    [{ clientId: '' }, ': clientId must be a non-empty string'],
    [{ secretKey: 7 }, ': secretKey must be a non-empty string'],
    [{ baseUrl: {} }, ': baseUrl must be a non-empty string'],
    [{ baseUrl: 'CANARY' }, ': baseUrl must be an http or https URL'],
    [
      { secretKey: 'CANARY', secretKeyFile: 'casino.key' },
      ' must have only one of secretKey and secretKeyFile',
    ],
    [{ secretKeyFile: 'CANARY' }, ': secretKeyFile the file cannot be read (ENOENT)'],
    [{ secretKeyFile: 'empty.key' }, ': secretKeyFile the file is empty'],
    [{ currencyPrecisions: 'CANARY' }, ': currencyPrecisions must be pairs such as USD=2,BTC=8'],
    [{ currencyPrecisions: ['CANARY'] }, ': currencyPrecisions must be an object'],
    [
      { currencyPrecisions: { USD: '2' } },
      ': currencyPrecisions must give each currency a number of decimals from 0 to 99',
    ],
    [{ settings: ['CANARY'] }, ': settings must be an object'],
    [{ settings: { LOG_LEVEL: 'CANARY' } }, ': settings has an unknown member "LOG_LEVEL"'],
    [{ settings: { SIGNATURE_SCALARS: 'CANARY' } }, ': SIGNATURE_SCALARS must be one of php, json'],
  ])('reports %j in an operator:%s', (members, reason) => {
    const casino = { clientId: 'c', ...members };
    expect(faultsOf(() => operatorsOf({ casino }))).toEqual([`OPERATORS_FILE: "casino"${reason}`]);
  });
});

const keyOf = (internalKey: string | undefined, ...secretKeys: (string | undefined)[]) =>
  internalKeyOf(
    internalKey,
    secretKeys.map((secretKey) => ({ secretKey })),
  ).toString('hex');

describe('internalKeyOf', () => {
  it('returns the same key for the same operators in any order', () => {
    expect(keyOf(undefined, 'a', 'b', undefined)).toBe(keyOf(undefined, 'b', 'a', 'a'));
    expect(keyOf(undefined, 'a', 'b')).toMatch(/^[0-9a-f]{64}$/);
  });

  it('returns another key if any secret key differs', () => {
    const keys = [['a'], ['b'], ['a', 'b'], ['ab']].map((secrets) => keyOf(undefined, ...secrets));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('derives the key only from INTERNAL_KEY if it is set', () => {
    expect(keyOf('internal', 'a')).toBe(keyOf('internal', 'b'));
    expect(keyOf('internal')).not.toBe(keyOf(undefined, 'internal'));
  });
});
