import type { OperatorCredentials, PlatformTransport } from '#platform';
import { readOperators, readTextFile, readTls, type Settings, type TlsFamily } from '#settings';
import { TlsContext } from '#tls';

import { usageError } from './exit.ts';
import { printable } from './output.ts';

/** The settings of the broker. */
export const OF_BROKER = ['AMQP_URL', 'AMQP_PREFIX', 'AMQP_TLS_CA', 'AMQP_TLS_CERT', 'AMQP_TLS_KEY'] as const;

/**
 * What connections to one kind of server trust and present, by the settings.
 *
 * @throws SettingsError for each file that cannot be used
 */
export function tlsOf(
  family: TlsFamily,
  settings: Partial<Settings>,
  addresses: readonly string[],
): TlsContext {
  const source = { settings, addresses, readText: readTextFile, nowMs: Date.now() };
  return new TlsContext(family, readTls(family, source));
}

/** How the platforms of these operators are reached. @throws SettingsError */
export function transportOf(
  settings: Settings,
  operators: readonly OperatorCredentials[],
): PlatformTransport {
  const addresses = operators.flatMap(({ baseUrl, apiUrl }) => [baseUrl, apiUrl]);
  return { tls: tlsOf('PLATFORM', settings, addresses), proxyUrl: settings.PLATFORM_PROXY_URL };
}

/**
 * The credentials of an operator.
 *
 * @throws SettingsError if they cannot be read; ExitError with the names of the operators, if none has this name
 */
export function operatorNamed(name: string, settings: Settings): OperatorCredentials {
  const operators = readOperators(settings);
  const found = operators.find((operator) => operator.name === name);
  if (found) return found;
  const names = operators.map((operator) => operator.name).join(', ');
  throw usageError(`there is no operator ${printable(name)}: ${names}`);
}
