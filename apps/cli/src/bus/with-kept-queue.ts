import { type KeptQueue, type KeptQueueOptions, openKeptQueue } from '#messaging/client';
import { readInternalKey, readSomeSettings } from '#settings';

import { exitOfFault } from './exit-of-fault.ts';
import { readBus } from './read-bus.ts';

/** What sending a kept message on takes. */
export interface ServiceKey {
  readonly prefix: string;
  readonly internalKey: Buffer;
}

/**
 * Opens the queue of dead letters, or of parked replies, for as long as `work` takes. Where the messages come from is proved by
 * the key of the workers, if the settings give it.
 *
 * @param selection by a caller needs that key
 * @throws ExitError if the settings cannot be used, or the broker is away, refuses the user or has no such queue
 */
export async function withKeptQueue<T>(
  queue: KeptQueueOptions['queue'],
  work: (kept: KeptQueue) => Promise<T>,
  { caller }: { readonly caller?: readonly string[] } = {},
): Promise<T> {
  try {
    const internalKey = caller ? readServiceKey().internalKey : serviceKeyIfGiven();
    await using kept = await openKeptQueue({ ...readBus(), queue, internalKey });
    return await work(kept);
  } catch (error) {
    throw exitOfFault(error);
  }
}

function serviceKeyIfGiven(): Buffer | undefined {
  try {
    return readInternalKey(process.env);
  } catch {
    return undefined;
  }
}

/** @throws ExitError if there is neither an `INTERNAL_KEY` nor all settings of the operators */
export function readServiceKey(): ServiceKey {
  try {
    const { AMQP_PREFIX: prefix } = readSomeSettings(['AMQP_PREFIX'], process.env);
    return { prefix, internalKey: readInternalKey(process.env) };
  } catch (error) {
    throw exitOfFault(error);
  }
}
