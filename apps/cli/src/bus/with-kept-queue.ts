import { type KeptQueue, type KeptQueueOptions, openKeptQueue } from '#messaging/client';
import { readInternalKey } from '#settings';

import { readBus } from './bus.ts';

/**
 * Opens the queue of dead letters, or of parked replies, for as long as `work` takes. Where the messages come from is proved by
 * the key of the workers, if the settings give it.
 *
 * @param selection by a caller needs that key
 * @throws SettingsError; BrokerError if the broker is away, refuses the user or has no such queue
 */
export async function withKeptQueue<T>(
  queue: KeptQueueOptions['queue'],
  work: (kept: KeptQueue) => Promise<T>,
  { caller }: { readonly caller?: readonly string[] } = {},
): Promise<T> {
  const internalKey = caller ? readInternalKey(process.env) : serviceKeyIfGiven();
  await using kept = await openKeptQueue({ ...readBus(), queue, internalKey });
  return await work(kept);
}

function serviceKeyIfGiven(): Buffer | undefined {
  try {
    return readInternalKey(process.env);
  } catch {
    return undefined;
  }
}
