import { describe, expect, it } from '@jest/globals';

import { refuseCleartext } from './cleartext.ts';
import { readOperators } from './operators.ts';
import { readSettings } from './settings.ts';
import { faultsOf as thrownBy, REQUIRED } from './settings.fixture.ts';

const SAFE = {
  AMQP_URL: 'amqps://user:CANARY@broker.example.com',
  REDIS_URL: 'rediss://:CANARY@redis.example.com',
  ...REQUIRED,
};

function faultsOf(variables: Record<string, string>, operators = '{}'): string[] {
  const environment = { ...SAFE, OPERATORS_FILE: 'operators.json', ...variables };
  const settings = readSettings(environment);
  const all = readOperators(settings, () => operators);
  return thrownBy(() => refuseCleartext(settings, all, environment));
}

/** A proxy on another machine, which also forwards calls to a platform on this machine. */
const PROXIED = {
  PLATFORM_API_URL: 'http://127.0.0.1:3100',
  PLATFORM_PROXY_URL: 'https://proxy.example.com',
};
const CASINO = JSON.stringify({ casino: { clientId: 'c', apiUrl: 'http://api.example.com' } });

describe('refuseCleartext', () => {
  it.each<Record<string, string>>([
    {},
    { AMQP_URL: 'amqp://127.0.0.1,amqp://LocalHost:5673,amqp://[0:0:0:0:0:0:0:1]' },
    { REDIS_URL: 'redis://127.0.0.2:6379' },
    { PLATFORM_BASE_URL: 'http://localhost:3100/api/web', PLATFORM_API_URL: 'http://127.0.0.1:3100' },
    // This proxy gets no password and cannot read the calls.
    { PLATFORM_PROXY_URL: 'http://proxy.example.com:3128' },
    { PLATFORM_PROXY_URL: 'https://user:CANARY@proxy.example.com' },
    { ...PROXIED, PLATFORM_PROXY_URL: 'http://user:CANARY@127.0.0.1:3128' },
  ])('accepts encrypted addresses and those of this machine: %j', (variables) => {
    expect(faultsOf(variables)).toEqual([]);
  });

  it.each<[Record<string, string>, fault: string, operators?: string]>([
    [{ AMQP_URL: 'amqps://safe.example.com,amqp://user:CANARY@broker.example.com' }, 'AMQP_URL: * use amqps'],
    [{ AMQP_URL: 'amqp://user:CANARY@127.999.999.999' }, 'AMQP_URL: * use amqps'],
    [{ AMQP_URL: 'amqp://user:CANARY@127.1' }, 'AMQP_URL: * use amqps'],
    [{ REDIS_URL: 'redis://:CANARY@10.0.0.1' }, 'REDIS_URL: * use rediss'],
    [{ PLATFORM_BASE_URL: 'http://canary.example.com/api/web' }, 'PLATFORM_BASE_URL: * use https'],
    [{ PLATFORM_API_URL: 'http://127.0.0.1.example.com' }, 'PLATFORM_API_URL: * use https'],
    [PROXIED, 'PLATFORM_API_URL: * use https'],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://canary.example.com:4318' },
      'OTEL_EXPORTER_OTLP_ENDPOINT: * use https',
    ],
    [
      { PLATFORM_PROXY_URL: 'http://:CANARY@proxy.example.com:3128' },
      'PLATFORM_PROXY_URL: its password * use https',
    ],
    [{}, 'OPERATORS_FILE: "casino": * use https', CASINO],
    [
      { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      'NODE_TLS_REJECT_UNAUTHORIZED: turns off certificate verification; remove it',
    ],
  ])('rejects %j with advice, and accepts it with ALLOW_CLEARTEXT', (variables, fault, operators = '{}') => {
    const expected = fault.replace('*', 'leaves this machine in cleartext;');
    expect(faultsOf(variables, operators)).toEqual([`${expected}, or set ALLOW_CLEARTEXT=true`]);
    expect(expected.toLowerCase()).not.toContain('canary');
    expect(faultsOf({ ...variables, ALLOW_CLEARTEXT: 'true' }, operators)).toEqual([]);
  });
});
