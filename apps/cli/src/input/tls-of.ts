import { readTextFile, readTls, type Settings, type TlsFamily } from '#settings';
import { TlsContext } from '#tls';

/** The variables of one kind of server. */
export const TLS_OF_BROKER = ['AMQP_TLS_CA', 'AMQP_TLS_CERT', 'AMQP_TLS_KEY'] as const;
export const TLS_OF_REDIS = ['REDIS_TLS_CA', 'REDIS_TLS_CERT', 'REDIS_TLS_KEY'] as const;

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
