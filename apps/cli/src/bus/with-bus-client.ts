import { BusClient, BusClientError, type BusClientFault } from '#messaging/client';
import { readSomeSettings, readTextFile, readTls, SettingsError } from '#settings';
import { TlsContext } from '#tls';

import { EXIT, type ExitCode, ExitError } from '../exit.ts';

const EXIT_OF_FAULT: Readonly<Record<BusClientFault, ExitCode>> = {
  rejected: EXIT.settings,
  unreachable: EXIT.noAnswer,
  'no-exchange': EXIT.noAnswer,
  'not-taken': EXIT.noAnswer,
  'no-answer': EXIT.noAnswer,
};

/**
 * Connects to the broker of the settings for as long as `work` takes.
 *
@throws ExitError if the settings cannot be used, or no reply came
 */
export async function withBusClient<T>(work: (client: BusClient) => Promise<T>): Promise<T> {
  try {
    const settings = readSomeSettings(
      ['AMQP_URL', 'AMQP_PREFIX', 'AMQP_TLS_CA', 'AMQP_TLS_CERT', 'AMQP_TLS_KEY'],
      process.env,
    );
    const { AMQP_URL: urls, AMQP_PREFIX: prefix } = settings;
    const source = { settings, addresses: urls, readText: readTextFile, nowMs: Date.now() };
    const tls = new TlsContext('AMQP', readTls('AMQP', source));
    await using client = await BusClient.open({ urls, prefix, tls, appId: 'poker-bridge-cli' });
    return await work(client);
  } catch (error) {
    if (error instanceof SettingsError) throw new ExitError(EXIT.settings, error.message);
    if (error instanceof BusClientError) throw new ExitError(EXIT_OF_FAULT[error.fault], error.message);
    throw error;
  }
}
