import { BusClient } from '#messaging/client';
import { readSomeSettings, readTextFile, readTls } from '#settings';
import { TlsContext } from '#tls';

import { exitOfFault } from './exit-of-fault.ts';

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
    throw exitOfFault(error);
  }
}
