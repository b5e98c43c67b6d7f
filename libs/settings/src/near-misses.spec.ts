import { describe, expect, it } from '@jest/globals';

import { nearMissesIn } from './near-misses.ts';
import { SETTINGS } from './settings.ts';

describe('nearMissesIn', () => {
  it.each([
    ['PLATFORM_SECRT_KEY', 'PLATFORM_SECRET_KEY'],
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
    ['OTEL_TRACES_SAMPLER_ARGS', 'OTEL_TRACES_SAMPLER_ARG'],
  ])('takes %s for %s', (variable, meant) => {
    expect(nearMissesIn({ [variable]: 'CANARY' })).toEqual([{ variable, meant }]);
  });

  it('leaves alone what is a setting, a file of a secret, unset, or of other programs', () => {
    const own = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, 'x']));
    const foreign =
      'PATH HOME HTTP_PROXY NODE_ENV REDIS_PASSWORD_HASH REDIS_SERVICE_HOST REDIS_PORT_6379_TCP_ADDR LANG LINES ' +
      'SESSION_MANAGER LOG_FORMAT OTEL_RESOURCE_ATTRIBUTES OTEL_EXPORTER_OTLP_TIMEOUT OTEL_METRICS_EXPORTER';
    const files = { AMQP_URL_FILE: 'x', PLATFORM_SECRET_KEY_FILE: 'x' };
    const others = Object.fromEntries(foreign.split(' ').map((name) => [name, 'x']));
    expect(nearMissesIn({ ...own, ...files, ...others, AMQP_URI: '' })).toEqual([]);
  });
});
