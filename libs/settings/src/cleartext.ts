import { isIPv4 } from 'node:net';

import type { OperatorCredentials } from '#platform';

import { endpointOf } from './otel.ts';
import type { Settings } from './settings.ts';
import { type SettingFault, SettingsError } from './settings-error.ts';

const CLEARTEXT = new Set(['amqp:', 'redis:', 'http:']);

/**
 * Refuses to send secrets and players' data in cleartext, or to anybody with a certificate, unless `ALLOW_CLEARTEXT` is
 * set. Addresses of this machine are exempt. Source: bus contract, section 7.
 *
 * @throws SettingsError naming each variable, without its value
 */
export function refuseCleartext(
  settings: Settings,
  operators: readonly OperatorCredentials[],
  environment: NodeJS.ProcessEnv,
): void {
  if (settings.ALLOW_CLEARTEXT === 'true') return;
  const { AMQP_URL, REDIS_URL, PLATFORM_BASE_URL, PLATFORM_API_URL, PLATFORM_PROXY_URL: proxy } = settings;
  const traces = endpointOf(settings);
  // A request by way of a proxy elsewhere leaves this machine, whatever its address.
  const leaves = proxy !== undefined && !isLoopback(new URL(proxy).hostname);
  const faults: SettingFault[] = [
    ...AMQP_URL.flatMap((url) => faultOf('AMQP_URL', url)),
    ...faultOf('REDIS_URL', REDIS_URL),
    ...(traces ? faultOf(traces.variable, traces.url) : []),
    ...faultOf('PLATFORM_BASE_URL', PLATFORM_BASE_URL, leaves),
    ...faultOf('PLATFORM_API_URL', PLATFORM_API_URL, leaves),
    ...operators.flatMap(({ name, baseUrl, apiUrl }) =>
      [baseUrl, apiUrl]
        .filter((url) => url !== PLATFORM_BASE_URL && url !== PLATFORM_API_URL)
        .flatMap((url) => faultOf('OPERATORS_FILE', url, leaves, `${JSON.stringify(name)}: `)),
    ),
    // Without a password, a proxy sees no more than the platform's host: the rest is encrypted.
    ...(hasPassword(proxy) ? faultOf('PLATFORM_PROXY_URL', proxy, false, 'its password ') : []),
  ];
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    const reason = 'turns the check of certificates off; remove it, or set ALLOW_CLEARTEXT=true';
    faults.push({ variable: 'NODE_TLS_REJECT_UNAUTHORIZED', reason });
  }
  const unique = new Map(faults.map((fault) => [`${fault.variable} ${fault.reason}`, fault]));
  if (unique.size > 0) throw new SettingsError([...unique.values()]);
}

/** @param leaves whether what is sent leaves this machine, whatever the address */
function faultOf(variable: string, address: string | undefined, leaves = false, what = ''): SettingFault[] {
  if (address === undefined) return [];
  const { protocol, hostname } = new URL(address);
  if (!CLEARTEXT.has(protocol) || (isLoopback(hostname) && !leaves)) return [];
  const encrypted = protocol.replace(':', 's');
  const reason = `${what}leaves this machine in cleartext; use ${encrypted}, or set ALLOW_CLEARTEXT=true`;
  return [{ variable, reason }];
}

/** Whether what is sent to this host stays on this machine: `localhost`, `[::1]` or an address of 127.0.0.0/8. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|\[::1\])$/i.test(hostname) || (isIPv4(hostname) && hostname.startsWith('127.'));
}

function hasPassword(address: string | undefined): boolean {
  const url = address === undefined ? undefined : new URL(address);
  return Boolean(url?.username || url?.password);
}
