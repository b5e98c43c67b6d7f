import { CallerError } from '#caller';
import type { OperatorCredentials } from '#platform';
import { BrokerError, PublishRefusedError, UnconfirmedError } from '#rabbitmq';
import {
  readOperators,
  readSomeSettings,
  readTextFile,
  readTls,
  type Settings,
  SettingsError,
  type TlsFamily,
} from '#settings';
import { TlsContext } from '#tls';

import { EXIT, ExitError, usageError } from './exit.ts';
import { printable } from './output.ts';

const OF_BROKER = ['AMQP_URL', 'AMQP_PREFIX', 'AMQP_TLS_CA', 'AMQP_TLS_CERT', 'AMQP_TLS_KEY'] as const;
/** The prefix of names that the broker generates. An exclusive queue ends with its connection. */
export const SERVER_NAMED = 'amq.gen-';
const WRONG_SETTINGS = /^(login|virtual-host|access)[-_]refused$/i;

export type BusSettings = ReturnType<typeof readBus>;

export function readBus() {
  const settings = readSomeSettings(OF_BROKER, process.env);
  const { AMQP_URL: urls, AMQP_PREFIX: prefix } = settings;
  return { urls, prefix, tls: tlsOf('AMQP', settings, urls) };
}

/** Reads the TLS files for one kind of server. @throws SettingsError for each unusable file */
export function tlsOf(family: TlsFamily, settings: Partial<Settings>, addresses: readonly string[]) {
  const material = readTls(family, { settings, addresses, readText: readTextFile, nowMs: Date.now() });
  return new TlsContext(family, () => material);
}

/** Returns TLS material and proxy for the platforms of these operators. @throws SettingsError */
export function transportOf(settings: Settings, operators: readonly OperatorCredentials[]) {
  const addresses = operators.flatMap(({ baseUrl, apiUrl }) => [baseUrl, apiUrl]);
  return { tls: tlsOf('PLATFORM', settings, addresses), proxyUrl: settings.PLATFORM_PROXY_URL };
}

/**
 * Returns an operator's credentials.
 *
 * @throws SettingsError; ExitError with the existing names if it is unknown
 */
export function operatorNamed(name: string, settings: Settings): OperatorCredentials {
  const operators = readOperators(settings);
  const found = operators.find((operator) => operator.name === name);
  if (found) return found;
  const names = operators.map((operator) => operator.name).join(', ');
  throw usageError(`there is no operator ${printable(name)}; there are ${names}`);
}

/** Returns the exit for an expected error; undefined for a bug of this program. */
export function exitOfFault(error: unknown): ExitError | undefined {
  if (error instanceof ExitError) return error;
  if (error instanceof SettingsError) return new ExitError(EXIT.settings, error.message);
  if (error instanceof UnconfirmedError || error instanceof PublishRefusedError) {
    return new ExitError(EXIT.noAnswer, error.message);
  }
  if (!(error instanceof CallerError || error instanceof BrokerError)) return undefined;
  const fault = error instanceof CallerError ? error.code : error.fault;
  const isUnset = fault === 'unreachable' && !process.env['AMQP_URL'] && !process.env['AMQP_URL_FILE'];
  const message = error.message + (isUnset ? ' AMQP_URL is not set; this is its default.' : '');
  return new ExitError(WRONG_SETTINGS.test(fault) ? EXIT.settings : EXIT.noAnswer, message);
}
