import { BusClient } from '#messaging/client';
import { readSomeSettings } from '#settings';

import { exitOfFault } from './exit-of-fault.ts';

/**
 * Connects to the broker of the settings for as long as `work` takes.
 *
@throws ExitError if the settings cannot be used, or no reply came
 */
export async function withBusClient<T>(work: (client: BusClient) => Promise<T>): Promise<T> {
  try {
    const { AMQP_URL: urls, AMQP_PREFIX: prefix } = readSomeSettings(
      ['AMQP_URL', 'AMQP_PREFIX'],
      process.env,
    );
    await using client = await BusClient.open({ urls, prefix, appId: 'poker-bridge-cli' });
    return await work(client);
  } catch (error) {
    throw exitOfFault(error);
  }
}
