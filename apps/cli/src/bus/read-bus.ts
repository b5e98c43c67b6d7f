import { readSomeSettings } from '#settings';
import type { TlsContext } from '#tls';

import { TLS_OF_BROKER, tlsOf } from '../input/tls-of.ts';

/** Where the bus is. */
export interface Bus {
  readonly urls: readonly string[];
  readonly prefix: string;
  readonly tls: TlsContext;
}

/** @throws SettingsError if the settings of the broker cannot be used */
export function readBus(): Bus {
  const settings = readSomeSettings(['AMQP_URL', 'AMQP_PREFIX', ...TLS_OF_BROKER], process.env);
  const { AMQP_URL: urls, AMQP_PREFIX: prefix } = settings;
  return { urls, prefix, tls: tlsOf('AMQP', settings, urls) };
}
