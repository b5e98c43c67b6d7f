import { describe, expect, it } from '@jest/globals';

import { readOperators } from './operators.ts';
import { readSettings, SETTINGS } from './settings.ts';
import { REQUIRED } from './settings.fixture.ts';
import { warningsOf } from './warnings.ts';

/** Returns the warnings about the operator `default` and the operators of a file. */
function warnings(variables: Record<string, string>, others: Record<string, object> = {}) {
  const environment = { ...REQUIRED, OPERATORS_FILE: 'operators.json', ...variables };
  const readText = (path: string) => (path === 'operators.json' ? JSON.stringify(others) : `${path}\n`);
  const settings = readSettings(environment, readText);
  return [...warningsOf(settings, readOperators(settings, readText), environment, readText)];
}
const SECRET = { PLATFORM_SECRET_KEY: 'secret' };
const CALLERS = { ...SECRET, CALLERS_FILE: 'callers.json' };
const other = { other: { clientId: 'other' } };

describe('warningsOf', () => {
  it('yields nothing for plausible settings', () => {
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
      'an API address that contains part of the appended path, once',
      { ...CALLERS, PLATFORM_API_URL: 'https://api.example.com/apiweb/v3/' },
      other,
      /^PLATFORM_API_URL ends with part of \/apiweb\/v3\/open-game/,
    ],
    [
      "an operator's API address that contains part of the appended path",
      CALLERS,
      { other: { clientId: 'c', apiUrl: 'https://other.example/apiweb' } },
      /^OPERATORS_FILE: apiUrl of "other" ends with/,
    ],
    [
      'currencies that differ only in case, once',
      { ...CALLERS, CURRENCY_PRECISIONS: 'MBTC=2,mBTC=5' },
      other,
      /^CURRENCY_PRECISIONS names MBTC and mBTC, which differ only in case/,
    ],
    ['several operators for every caller', SECRET, other, /all 2 operators; restrict this with CALLERS_FILE/],
    ['no secret key at all', {}, {}, /INTERNAL_KEY/],
  ])('warns about %s', (_, variables, operators, warning) => {
    expect(warnings(variables, operators)).toEqual([expect.stringMatching(warning)]);
    expect(warnings(variables, operators).join()).not.toContain('CANARY');
  });

  it.each<[string, Record<string, string>, Record<string, object>?]>([
    ['PLATFORM_SECRET_KEY', { PLATFORM_SECRET_KEY: 'CANARY ' }],
    ['PLATFORM_SECRET_KEY', { PLATFORM_SECRET_KEY: '', PLATFORM_SECRET_KEY_FILE: '\u00a0CANARY' }],
    ['PLATFORM_CLIENT_ID', { PLATFORM_CLIENT_ID: ' CANARY\n' }],
    ['PLATFORM_CLIENT_ID', { PLATFORM_CLIENT_ID: '\u200bCANARY' }],
    ['PLATFORM_BASE_URL', { PLATFORM_BASE_URL: ' https://CANARY.example/api' }],
    ['AMQP_URL', { AMQP_URL: 'amqp://127.0.0.1,amqp://CANARY%20:p@127.0.0.1' }],
    ['REDIS_URL', { REDIS_URL: 'redis://:CANARY%0A@127.0.0.1' }],
    ['OPERATORS_FILE: clientId of "o"', {}, { o: { clientId: 'CANARY\t' } }],
    ['OPERATORS_FILE: apiUrl of "o"', {}, { o: { clientId: 'c', apiUrl: ' https://CANARY.example' } }],
    ['OPERATORS_FILE: secretKeyFile of "o"', {}, { o: { clientId: 'c', secretKeyFile: 'CANARY ' } }],
  ])('warns about leading or trailing white space in %s', (name, variables, operators = {}) => {
    const found = warnings({ ...CALLERS, ...variables }, operators);
    expect(found).toEqual([expect.stringMatching(`^${name} has white space at`)]);
    expect(found.join()).not.toContain('CANARY');
  });

  it('yields nothing about traces that are turned off', () => {
    const wrong = {
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_BSP_SCHEDULE_DELAY: '5s',
      OTEL_TRACES_SAMPLER: 'x',
    };
    expect(warnings({ ...SECRET, ...wrong, OTEL_TRACES_EXPORTER: 'none' })).toEqual([]);
    expect(warnings({ ...SECRET, ...wrong, OTEL_SDK_DISABLED: 'True' })).toEqual([]);
    expect(warnings({ ...SECRET, ...wrong })).toHaveLength(3);
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
  ])('for the variable %s, suggests %s', (variable, meant) => {
    const warning = `${variable} is not a setting and is ignored; was ${meant} meant?`;
    expect(warnings({ ...SECRET, [variable]: 'CANARY' })).toEqual([warning]);
  });

  it('ignores settings, secret files, empty variables, and variables of other programs', () => {
    const foreign =
      'PATH HOME HTTP_PROXY NODE_ENV REDIS_PASSWORD_HASH REDIS_SERVICE_HOST REDIS_PORT_6379_TCP_ADDR LANG LINES ' +
      'SESSION_MANAGER LOG_FORMAT OTEL_RESOURCE_ATTRIBUTES OTEL_EXPORTER_OTLP_TIMEOUT OTEL_METRICS_EXPORTER';
    const others = Object.fromEntries(foreign.split(' ').map((name) => [name, 'x']));
    const own = Object.fromEntries(
      Object.keys(SETTINGS).map((name) => [name, name.startsWith('OTEL_') ? '' : 'x']),
    );
    const files = { AMQP_URL_FILE: 'x', PLATFORM_SECRET_KEY_FILE: 'x', AMQP_URI: '' };
    const settings = readSettings({ ...REQUIRED, ...SECRET });
    const given = { ...own, ...files, ...others, AMQP_URL: '', PLATFORM_SECRET_KEY: '' };
    const found = warningsOf(settings, readOperators(settings), given, () => 'x');
    expect([...found]).toEqual([]);
  });
});
