import { KeptQueue, type KeptQueueOptions } from '#messaging/client';
import { readInternalKey, readSomeSettings } from '#settings';

import { exitOfFault } from './exit-of-fault.ts';
import { readBus } from './read-bus.ts';

/** What sending a kept message on takes. */
export interface ServiceKey {
  readonly prefix: string;
  readonly internalKey: Buffer;
}

/**
 * Opens the queue of dead letters, or of parked replies, for as long as `work` takes.
 *
 * @throws ExitError if the settings cannot be used, or the broker is away, refuses the user or has no such queue
 */
export async function withKeptQueue<T>(
  queue: KeptQueueOptions['queue'],
  work: (kept: KeptQueue) => Promise<T>,
): Promise<T> {
  try {
    await using kept = await KeptQueue.open({ ...readBus(), queue });
    return await work(kept);
  } catch (error) {
    throw exitOfFault(error);
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
