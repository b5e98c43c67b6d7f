import { busNames } from '#contracts';
import { BriefConnection, onChannel } from '#rabbitmq';
import { readSomeSettings } from '#settings';
import type { TlsContext } from '#tls';

import { EXIT, ExitError } from './exit.ts';
import { OF_BROKER, tlsOf } from './servers.ts';

export const ANSWER_TIMEOUT_MS = 5_000;
const NOT_FOUND = 404;

export interface Bus {
  readonly urls: readonly string[];
  readonly prefix: string;
  readonly tls: TlsContext;
}

/** @throws SettingsError if the settings of the broker cannot be used */
export function readBus(): Bus {
  const settings = readSomeSettings(OF_BROKER, process.env);
  const { AMQP_URL: urls, AMQP_PREFIX: prefix } = settings;
  return { urls, prefix, tls: tlsOf('AMQP', settings, urls) };
}

/**
 * Connects to a broker with an exchange for commands.
 *
 * @throws BrokerError; ExitError if no worker has declared anything yet
 */
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
