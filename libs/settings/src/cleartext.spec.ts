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

describe('refuseCleartext', () => {
  it('has nothing against encrypted connections, nor against what stays on this machine', () => {
    expect(faultsOf({})).toEqual([]);
    const local = {
      AMQP_URL: 'amqp://127.0.0.1,amqp://LocalHost:5673,amqp://[0:0:0:0:0:0:0:1]',
      REDIS_URL: 'redis://127.0.0.2:6379',
      PLATFORM_BASE_URL: 'http://localhost:3100/api/web',
      PLATFORM_API_URL: 'http://127.0.0.1:3100',
    };
    expect(faultsOf(local)).toEqual([]);
  });

  it.each([
    ['AMQP_URL', 'amqps://safe.example.com,amqp://user:CANARY@broker.example.com', 'amqps'],
    ['AMQP_URL', 'amqp://user:CANARY@127.999.999.999', 'amqps'],
    ['AMQP_URL', 'amqp://user:CANARY@127.1', 'amqps'],
    ['REDIS_URL', 'redis://:CANARY@10.0.0.1', 'rediss'],
    ['PLATFORM_BASE_URL', 'http://canary.example.com/api/web', 'https'],
    ['PLATFORM_API_URL', 'http://127.0.0.1.example.com', 'https'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://canary.example.com:4318', 'https'],
    ['PLATFORM_PROXY_URL', 'http://user:CANARY@proxy.example.com:3128', 'https'],
  ])('refuses %s %s, and says what to use', (variable, value, protocol) => {
    const faults = faultsOf({ [variable]: value });
    expect(faults.map((fault) => fault.replace('its password ', ''))).toContain(
      `${variable}: leaves this machine in cleartext; use ${protocol}, or set ALLOW_CLEARTEXT=true`,
    );
    expect(faults.join().toLowerCase()).not.toContain('canary');
    expect(faultsOf({ [variable]: value, ALLOW_CLEARTEXT: 'true' })).toEqual([]);
  });

  it('has nothing against a proxy that sees no password, nor the calls', () => {
    expect(faultsOf({ PLATFORM_PROXY_URL: 'http://proxy.example.com:3128' })).toEqual([]);
    expect(faultsOf({ PLATFORM_PROXY_URL: 'https://user:CANARY@proxy.example.com' })).toEqual([]);
    expect(faultsOf({ PLATFORM_PROXY_URL: 'http://user:CANARY@127.0.0.1:3128' })).toEqual([]);
  });

  it('refuses a platform on this machine that is called through a proxy elsewhere', () => {
    const local = { PLATFORM_API_URL: 'http://127.0.0.1:3100' };
    const proxy = 'https://proxy.example.com';
    expect(faultsOf({ ...local, PLATFORM_PROXY_URL: proxy })).toEqual([
      expect.stringMatching(/^PLATFORM_API_URL: leaves this machine/),
    ]);
    expect(faultsOf({ ...local, PLATFORM_PROXY_URL: 'http://127.0.0.1:3128' })).toEqual([]);
  });

  it('refuses the platform of another operator', () => {
    const operators = JSON.stringify({ casino: { clientId: 'c', apiUrl: 'http://api.example.com' } });
    expect(faultsOf({}, operators)).toEqual([expect.stringMatching(/^OPERATORS_FILE: "casino": leaves/)]);
  });

  it('refuses certificates that nobody checks', () => {
    expect(faultsOf({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toEqual([
      expect.stringMatching(/^NODE_TLS_REJECT_UNAUTHORIZED: turns the check/),
    ]);
  });
});
