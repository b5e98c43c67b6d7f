import { busNames } from '#contracts';
import type { OperatorCredentials, PlatformTransport } from '#platform';
import { BriefConnection, NOT_FOUND, onChannel } from '#rabbitmq';
import {
  readOperators,
  readSomeSettings,
  readTextFile,
  readTls,
  type Settings,
  type TlsFamily,
} from '#settings';
import { TlsContext } from '#tls';

import { EXIT, ExitError, usageError } from './exit.ts';
import { printable } from './output.ts';

export const OF_BROKER = ['AMQP_URL', 'AMQP_PREFIX', 'AMQP_TLS_CA', 'AMQP_TLS_CERT', 'AMQP_TLS_KEY'] as const;
export const ANSWER_TIMEOUT_MS = 5_000;

export type Bus = ReturnType<typeof readBus>;

/** @throws SettingsError if the settings of the broker cannot be used */
export function readBus() {
  const settings = readSomeSettings(OF_BROKER, process.env);
  const { AMQP_URL: urls, AMQP_PREFIX: prefix } = settings;
  return { urls, prefix, tls: tlsOf('AMQP', settings, urls) };
}

/** Connects to a broker that has an exchange for commands. @throws BrokerError; ExitError if it has none yet */
export async function openForCommands({ urls, prefix, tls }: Bus): Promise<BriefConnection> {
  const connection = await BriefConnection.open(urls, { name: 'poker-bridge', tls });
  const { commands } = busNames(prefix);
  try {
    await onChannel(connection.model, ANSWER_TIMEOUT_MS, 'the exchange', (channel) =>
      channel.checkExchange(commands),
    );
    return connection;
  } catch (error) {
    await connection[Symbol.asyncDispose]();
    if ((error as { code?: unknown }).code !== NOT_FOUND) throw connection.faultOf(error);
    throw new ExitError(
      EXIT.noAnswer,
      `The broker has no exchange ${commands}: no worker with this AMQP_PREFIX has been there.`,
    );
  }
}

/** What connections to one kind of server trust and present. @throws SettingsError for each file that cannot be used */
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

/** The credentials of an operator. @throws SettingsError; ExitError with the names of the operators, if none has this one */
export function operatorNamed(name: string, settings: Settings): OperatorCredentials {
  const operators = readOperators(settings);
  const found = operators.find((operator) => operator.name === name);
  if (found) return found;
  const names = operators.map((operator) => operator.name).join(', ');
  throw usageError(`there is no operator ${printable(name)}; there are ${names}`);
}
