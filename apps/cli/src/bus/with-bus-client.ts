import { BusClient } from '#messaging/client';

import { exitOfFault } from './exit-of-fault.ts';
import { readBus } from './read-bus.ts';

/**
 * Connects to the broker of the settings for as long as `work` takes.
 *
@throws ExitError if the settings cannot be used, or no reply came
 */
export async function withBusClient<T>(work: (client: BusClient) => Promise<T>): Promise<T> {
  try {
    await using client = await BusClient.open({ ...readBus(), appId: 'poker-bridge-cli' });
    return await work(client);
  } catch (error) {
    throw exitOfFault(error);
  }
}
