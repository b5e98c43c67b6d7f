import { describe, expect, it } from '@jest/globals';

import { DEFAULT_PLATFORM_SETTINGS } from '#platform';

import { readOperators } from './operators.ts';
import { readSettings } from './settings.ts';
import { SettingsError } from './settings-error.ts';

const ENVIRONMENT = {
  PLATFORM_BASE_URL: 'https://api.example.com/api/web',
  PLATFORM_API_URL: 'https://api.example.com',
  PLATFORM_CLIENT_ID: 'client',
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
  settings: { ...DEFAULT_PLATFORM_SETTINGS, scalars: 'json' },
};

/** The operators of a file with this content; a secret is in `casino.key`. */
function operatorsOf(content: unknown) {
  const files: Record<string, string> = {
    'operators.json': typeof content === 'string' ? content : JSON.stringify(content),
    'casino.key': 'casino-key\n',
    'empty.key': '\n',
  };
  const readText = (path: string): string => {
    const text = files[path];
    if (text === undefined) throw Object.assign(new Error('CANARY'), { code: 'EACCES' });
    return text;
  };
  return readOperators(readSettings({ ...ENVIRONMENT, OPERATORS_FILE: 'operators.json' }), readText);
}

function faultOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  throw new Error('the file was found valid');
}

describe('readOperators', () => {
  it('knows only the default operator if no file is named', () => {
    expect(readOperators(readSettings(ENVIRONMENT))).toEqual([DEFAULT]);
  });

  it('gives other operators the URLs and settings of the default, never its secret key', () => {
    const [standard, casino] = operatorsOf({ casino: { clientId: 'casino-client' } });
    expect(standard).toEqual(DEFAULT);
    expect(casino).toEqual({ ...DEFAULT, name: 'casino', clientId: 'casino-client', secretKey: undefined });
  });

  it('reads every member', () => {
    const casino = {
      baseUrl: 'https://casino.example.com/api/web/',
      apiUrl: 'https://casino.example.com/',
      clientId: 'casino-client',
      secretKey: 'casino-key',
      currencyPrecisions: { USD: 4, mBTC: 5 },
      settings: {
        SIGNATURE_SCALARS: 'php',
        SIGNATURE_OPEN_GAME_CLIENT: 'drop',
        SIGNATURE_JSON_STRINGS: 'all',
        SIGNATURE_JSON_PLACEMENT: 'merge',
        SIGNATURE_EXCLUDE: 'deep',
        SIGNATURE_SCHEME_V3: 'raw-body',
        RAKE_PARAMETERS_IN: 'query',
        PLAYER_COUNTRY_MEMBER: 'countryCode',
        SESSION_ID: 'omit',
        SESSION_USER_ID: 'any',
        REPORT_RECORDS: 'lenient',
      },
    };
    expect(operatorsOf({ casino })[1]).toEqual({
      name: 'casino',
      baseUrl: 'https://casino.example.com/api/web',
      apiUrl: 'https://casino.example.com',
      clientId: 'casino-client',
      secretKey: 'casino-key',
      currencyPrecisions: new Map([
        ['USD', 4],
        ['mBTC', 5],
      ]),
      settings: {
        scalars: 'php',
        openGameClient: 'drop',
        jsonStrings: 'all',
        jsonPlacement: 'merge',
        exclude: 'deep',
        schemeV3: 'raw-body',
        rakeParametersIn: 'query',
        playerCountryMember: 'countryCode',
        sessionId: 'omit',
        sessionUserId: 'any',
        reportRecords: 'lenient',
      },
    });
  });

  it('reads precisions in the form of their variable, a secret key from a file, and some of the settings', () => {
    const currencyPrecisions = 'USD=4,mBTC=5';
    const settings = { RAKE_PARAMETERS_IN: 'query' };
    const casino = { clientId: 'c', currencyPrecisions, secretKeyFile: 'casino.key', settings };
    expect(operatorsOf({ casino })[1]).toMatchObject({
      secretKey: 'casino-key',
      currencyPrecisions: new Map(Object.entries({ USD: 4, mBTC: 5 })),
      settings: { ...DEFAULT.settings, rakeParametersIn: 'query' },
    });
  });

  it('reads all operators, and none from an empty file', () => {
    const names = operatorsOf({ b: { clientId: 'c' }, a: { clientId: 'c' } }).map(({ name }) => name);
    expect(names).toEqual(['default', 'b', 'a']);
    expect(operatorsOf({})).toEqual([DEFAULT]);
  });

  it.each([
    ['{"casino": CANARY', 'is not JSON'],
    ['', 'is not JSON'],
    ['["CANARY"]', 'the file must be an object'],
    ['null', 'the file must be an object'],
    ['{"casino": "CANARY"}', '"casino" must be an object'],
  ])('reports that the file %j cannot be used, never its content', (content, reason) => {
    expect(faultOf(() => operatorsOf(content))).toBe(`OPERATORS_FILE: ${reason}`);
  });

  it.each([
    [
      { secretkey: 'CANARY' },
      ' has an unknown member "secretkey"; there are baseUrl, apiUrl, clientId, secretKey, secretKeyFile, currencyPrecisions, settings',
    ],
    [{ clientId: undefined, secretKey: 'CANARY' }, ': clientId is required'],
    [{ clientId: '' }, ': clientId must be a string that is not empty'],
    [{ secretKey: 7 }, ': secretKey must be a string that is not empty'],
    [{ secretKey: null }, ': secretKey must be a string that is not empty'],
    [{ baseUrl: 'CANARY' }, ': baseUrl must be an http or https URL'],
    [{ apiUrl: 'http://u:CANARY@h' }, ': apiUrl must not hold credentials'],
    [{ secretKey: 'CANARY', secretKeyFile: 'casino.key' }, ' gives its secret key twice'],
    [{ secretKeyFile: 'CANARY' }, ': secretKeyFile its file cannot be read (EACCES)'],
    [{ secretKeyFile: 'empty.key' }, ': secretKeyFile its file is empty'],
    [{ currencyPrecisions: 'CANARY' }, ': currencyPrecisions must be pairs such as USD=2,BTC=8'],
    [{ currencyPrecisions: ['CANARY'] }, ': currencyPrecisions must be an object'],
    [
      { currencyPrecisions: { USD: '2' } },
      ': currencyPrecisions must give each currency a number of decimals from 0 to 99',
    ],
    [{ settings: ['CANARY'] }, ': settings must be an object'],
    [{ settings: { LOG_LEVEL: 'CANARY' } }, ': settings has an unknown member "LOG_LEVEL"'],
    [{ settings: { SIGNATURE_SCALARS: 'CANARY' } }, ': SIGNATURE_SCALARS must be one of php, json'],
    [
      { settings: { PLAYER_COUNTRY_MEMBER: '' } },
      ': PLAYER_COUNTRY_MEMBER must be a string that is not empty',
    ],
    [
      { settings: { PLAYER_COUNTRY_MEMBER: {} } },
      ': PLAYER_COUNTRY_MEMBER must be a string that is not empty',
    ],
  ])('reports %j in an operator:%s', (members, reason) => {
    const casino = { clientId: 'c', ...members };
    expect(faultOf(() => operatorsOf({ casino }))).toBe(`OPERATORS_FILE: "casino"${reason}`);
  });

  it('reports that the file cannot be read', () => {
    const settings = readSettings({ ...ENVIRONMENT, OPERATORS_FILE: 'operators.json' });
    const readText = () => {
      throw Object.assign(new Error('CANARY'), { code: 'ENOENT' });
    };
    expect(faultOf(() => readOperators(settings, readText))).toBe('OPERATORS_FILE: cannot be read (ENOENT)');
  });
});
