import { isIPv4 } from 'node:net';

import type { OperatorCredentials } from '#platform';

import { endpointOf } from './otel.ts';
import type { Settings } from './settings.ts';
import { type SettingFault, SettingsError } from './settings-error.ts';

const CLEARTEXT = new Set(['amqp:', 'redis:', 'http:']);

/**
 * Rejects settings that would send secrets and players' data in cleartext, or to a server with any
 * certificate, unless `ALLOW_CLEARTEXT` is set. Addresses of this machine are exempt. Source: bus contract,
 * section 7.
 *
 * @throws SettingsError naming each variable, without its value
 */
export function refuseCleartext(
  settings: Settings,
  operators: readonly OperatorCredentials[],
  environment: NodeJS.ProcessEnv,
): void {
  if (settings.ALLOW_CLEARTEXT === 'true') return;
  const { AMQP_URL, REDIS_URL, PLATFORM_BASE_URL, PLATFORM_API_URL, PLATFORM_PROXY_URL } = settings;
  const traces = endpointOf(settings);
  const proxy = URL.parse(PLATFORM_PROXY_URL ?? '');
  /** Keyed by variable and reason, because two addresses may have the same fault. */
  const faults = new Map<string, SettingFault>();
  const refuse = (variable: string, reason: string): void =>
    void faults.set(`${variable} ${reason}`, { variable, reason: `${reason}, or set ALLOW_CLEARTEXT=true` });
  const check = (variable: string, address = '', isElsewhere = false, what = ''): void => {
    const { protocol = '', hostname = '' } = URL.parse(address) ?? {};
    if (!CLEARTEXT.has(protocol) || (isLoopback(hostname) && !isElsewhere)) return;
    refuse(variable, `${what}leaves this machine in cleartext; use ${protocol.replace(':', 's')}`);
  };
  // A request through a proxy on another machine leaves this machine, whatever its address.
  const isProxied = proxy !== null && !isLoopback(proxy.hostname);

  for (const url of AMQP_URL) check('AMQP_URL', url);
  check('REDIS_URL', REDIS_URL);
  if (traces) check(traces.variable, traces.url);
  check('PLATFORM_BASE_URL', PLATFORM_BASE_URL, isProxied);
  check('PLATFORM_API_URL', PLATFORM_API_URL, isProxied);
  for (const { name, baseUrl, apiUrl } of operators)
    for (const url of [baseUrl, apiUrl])
      if (url !== PLATFORM_BASE_URL && url !== PLATFORM_API_URL)
        check('OPERATORS_FILE', url, isProxied, `${JSON.stringify(name)}: `);
  // A proxy without a password is accepted: it sees only the platform's host, because the rest is encrypted.
  if (proxy?.username || proxy?.password) check('PLATFORM_PROXY_URL', proxy.href, false, 'its password ');
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    refuse('NODE_TLS_REJECT_UNAUTHORIZED', 'turns off certificate verification; remove it');
  if (faults.size > 0) throw new SettingsError([...faults.values()]);
}

/** True if data for this host stays on this machine: `localhost`, `[::1]` or an address of 127.0.0.0/8. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|\[::1\])$/i.test(hostname) || (isIPv4(hostname) && hostname.startsWith('127.'));
}
