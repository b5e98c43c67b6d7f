import { describe, expect, it } from '@jest/globals';

import { readOperators } from './operators.ts';
import { readSettings, SETTINGS } from './settings.ts';
import { REQUIRED } from './settings.fixture.ts';
import { warningsOf } from './warnings.ts';

/** The warnings of the operator `default`, and of others of a file. */
function warnings(variables: Record<string, string>, others: Record<string, object> = {}) {
  const environment = { ...REQUIRED, OPERATORS_FILE: 'operators.json', ...variables };
  const settings = readSettings(environment);
  const operators = readOperators(settings, () => JSON.stringify(others));
  return [...warningsOf(settings, operators, environment)];
}
const SECRET = { PLATFORM_SECRET_KEY: 'secret' };
const CALLERS = { ...SECRET, CALLERS_FILE: 'callers.json' };
const other = { other: { clientId: 'other' } };

describe('warningsOf', () => {
  it('has nothing to say of settings that look right', () => {
    expect(warnings(SECRET)).toEqual([]);
    expect(warnings({ CALLERS_FILE: 'callers.json', INTERNAL_KEY: 'k'.repeat(32) }, other)).toEqual([]);
    expect(warnings({ ...CALLERS, CURRENCY_PRECISIONS: 'USD=2,mBTC=5' }, other)).toEqual([]);
  });

  it.each<[string, Record<string, string>, Record<string, object>, RegExp]>([
    [
      'a base address without a path, once',
      { ...CALLERS, PLATFORM_BASE_URL: 'https://api.example.com' },
      other,
      /^PLATFORM_BASE_URL has no path/,
    ],
    [
      'an API address that holds a part of its path, once',
      { ...CALLERS, PLATFORM_API_URL: 'https://api.example.com/apiweb/v3/' },
      other,
      /^PLATFORM_API_URL ends with a part of \/apiweb\/v3\/open-game/,
    ],
    [
      'an API address of an operator that holds a part of its path',
      CALLERS,
      { other: { clientId: 'c', apiUrl: 'https://other.example/apiweb' } },
      /^OPERATORS_FILE: apiUrl of "other" ends with/,
    ],
    [
      'currencies that differ in case alone, once',
      { ...CALLERS, CURRENCY_PRECISIONS: 'MBTC=2,mBTC=5' },
      other,
      /^CURRENCY_PRECISIONS names MBTC and mBTC, which differ in case alone/,
    ],
    ['several operators for every caller', SECRET, other, /all 2 operators; CALLERS_FILE/],
    ['no secret key at all', {}, {}, /INTERNAL_KEY/],
  ])('names %s', (_, variables, operators, warning) => {
    expect(warnings(variables, operators)).toEqual([expect.stringMatching(warning)]);
    expect(warnings(variables, operators).join()).not.toContain('CANARY');
  });

  it.each([
    ['PLATFORM_SECRT', 'PLATFORM_SECRET_KEY'],
    ['AMQP_URI', 'AMQP_URL'],
    ['OPERATOR_FILE', 'OPERATORS_FILE'],
    ['PLATFROM_SECRET_KEY', 'PLATFORM_SECRET_KEY'],
    ['AMQP_HOST', 'AMQP_URL'],
    ['REDIS_TLS_CERTIFICATE', 'REDIS_TLS_CERT'],
    ['REDIS_TLS_CA_FILE', 'REDIS_TLS_CA'],
    ['PLAYER_COUNTRY', 'PLAYER_COUNTRY_MEMBER'],
    ['CURRENCY_DECIMALS', 'CURRENCY_PRECISIONS'],
    ['HTTP_HOSTNAME', 'HTTP_HOST'],
    ['LANES_SERVED', 'LANES'],
    ['OTEL_TRACES_SAMPLER_ARGS', 'OTEL_TRACES_SAMPLER_ARG'],
  ])('takes %s for %s', (variable, meant) => {
    const warning = `${variable} is not a setting and is ignored; was ${meant} meant?`;
    expect(warnings({ ...SECRET, [variable]: 'CANARY' })).toEqual([warning]);
  });

  it('leaves alone what is a setting, a file of a secret, unset, or of other programs', () => {
    const foreign =
      'PATH HOME HTTP_PROXY NODE_ENV REDIS_PASSWORD_HASH REDIS_SERVICE_HOST REDIS_PORT_6379_TCP_ADDR LANG LINES ' +
      'SESSION_MANAGER LOG_FORMAT OTEL_RESOURCE_ATTRIBUTES OTEL_EXPORTER_OTLP_TIMEOUT OTEL_METRICS_EXPORTER';
    const others = Object.fromEntries(foreign.split(' ').map((name) => [name, 'x']));
    const own = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, 'x']));
    const files = { AMQP_URL_FILE: 'x', PLATFORM_SECRET_KEY_FILE: 'x', AMQP_URI: '' };
    const settings = readSettings({ ...REQUIRED, ...SECRET });
    const found = warningsOf(settings, readOperators(settings), { ...own, ...files, ...others });
    expect([...found]).toEqual([]);
  });
});
