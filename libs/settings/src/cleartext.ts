import { isIPv4 } from 'node:net';

import type { OperatorCredentials } from '#platform';

import { endpointOf } from './otel.ts';
import type { Settings } from './settings.ts';
import { type SettingFault, SettingsError } from './settings-error.ts';

const CLEARTEXT = new Set(['amqp:', 'redis:', 'http:']);

/**
 * Refuses to send secrets and players' data in cleartext, or to anybody with a certificate, unless `ALLOW_CLEARTEXT` is
 * set. What stays on this machine is not meant. Source: bus contract, section 7.
 *
 * @throws SettingsError naming each variable, without its value
 */
export function refuseCleartext(
  settings: Settings,
  operators: readonly OperatorCredentials[],
  environment: NodeJS.ProcessEnv,
): void {
  if (settings.ALLOW_CLEARTEXT === 'true') return;
  const proxy = settings.PLATFORM_PROXY_URL;
  const traces = endpointOf(settings);
  // A request by way of a proxy elsewhere leaves this machine, whatever its address.
  const isPlatformHere = (url: URL): boolean =>
    isHere(url) && (proxy === undefined || isHere(new URL(proxy)));
  const faults: SettingFault[] = [
    ...settings.AMQP_URL.flatMap((url) => faultOf('AMQP_URL', url, 'amqps')),
    ...faultOf('REDIS_URL', settings.REDIS_URL, 'rediss'),
    ...(traces ? faultOf(traces.variable, traces.url, 'https') : []),
    ...faultOf('PLATFORM_BASE_URL', settings.PLATFORM_BASE_URL, 'https', isPlatformHere),
    ...faultOf('PLATFORM_API_URL', settings.PLATFORM_API_URL, 'https', isPlatformHere),
    ...operators
      .filter(
        ({ baseUrl, apiUrl }) =>
          baseUrl !== settings.PLATFORM_BASE_URL || apiUrl !== settings.PLATFORM_API_URL,
      )
      .flatMap(({ name, baseUrl, apiUrl }) =>
        [baseUrl, apiUrl].flatMap((url) =>
          faultOf('OPERATORS_FILE', url, 'https', isPlatformHere, `${JSON.stringify(name)}: `),
        ),
      ),
    // Without a password, a proxy sees no more than the platform's host: the rest is encrypted.
    ...(hasPassword(proxy) ? faultOf('PLATFORM_PROXY_URL', proxy, 'https', isHere, 'its password ') : []),
  ];
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    const reason = 'turns the check of certificates off; remove it, or set ALLOW_CLEARTEXT=true';
    faults.push({ variable: 'NODE_TLS_REJECT_UNAUTHORIZED', reason });
  }
  const unique = new Map(faults.map((fault) => [`${fault.variable} ${fault.reason}`, fault]));
  if (unique.size > 0) throw new SettingsError([...unique.values()]);
}

function faultOf(
  variable: string,
  address: string | undefined,
  protocol: string,
  staysHere = isHere,
  what = '',
): SettingFault[] {
  const url = address === undefined ? null : URL.parse(address);
  if (!url || !CLEARTEXT.has(url.protocol) || staysHere(url)) return [];
  const reason = `${what}leaves this machine in cleartext; use ${protocol}, or set ALLOW_CLEARTEXT=true`;
  return [{ variable, reason }];
}

/** Whether what is sent to this host stays on this machine: `localhost`, `[::1]` or an address of 127.0.0.0/8. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|\[::1\])$/i.test(hostname) || (isIPv4(hostname) && hostname.startsWith('127.'));
}

function isHere({ hostname }: URL): boolean {
  return isLoopback(hostname);
}

function hasPassword(address: string | undefined): boolean {
  const url = address === undefined ? null : URL.parse(address);
  return Boolean(url && (url.username || url.password));
}
