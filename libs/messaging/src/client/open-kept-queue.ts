import { busNames } from '#contracts';
import { type Kept as KeptOf, KeptQueue as KeptQueueOf, BrokerError } from '#rabbitmq';
import type { TlsContext } from '#tls';

import { InternalKeys } from '../envelope/internal-keys.ts';
import { HeaderSeal } from '../envelope/own-headers.ts';
import { type KeptMessage, keptMessageOf } from '../kept/kept-message.ts';
import { forwarderLockOf, readerLockOf } from '../topology/topology.ts';

export type Kept = KeptOf<KeptMessage>;
export type KeptQueue = KeptQueueOf<KeptMessage>;

export interface KeptQueueOptions {
  /** The nodes of one cluster. They hold a password. */
  readonly urls: readonly string[];
  readonly prefix: string;
  readonly queue: 'deadLetters' | 'undelivered';
  /** The workers' key proves where messages come from. Without it, what says to be sealed is taken as it is. */
  readonly internalKey?: Buffer | undefined;
  /** Default: what Node.js trusts, and no client certificate. */
  readonly tls?: TlsContext | undefined;
}

/**
 * The queue of dead letters or of parked replies, for a person who looks into it and acts. Workers that deliver parked
 * replies are waited for.
 *
 * @throws BrokerError `queue-missing` if no worker has declared anything yet
 */
export async function openKeptQueue({
  urls,
  prefix,
  queue,
  internalKey,
  tls,
}: KeptQueueOptions): Promise<KeptQueue> {
  const names = busNames(prefix);
  const seal = internalKey && new HeaderSeal(new InternalKeys(internalKey));
  try {
    return await KeptQueueOf.open({
      name: 'poker-bridge client',
      urls,
      tls,
      queue: names[queue],
      lock: queue === 'undelivered' ? forwarderLockOf(names) : readerLockOf(names),
      read: (message) => keptMessageOf(message, seal),
    });
  } catch (error) {
    if (!(error instanceof BrokerError) || error.fault !== 'queue-missing') throw error;
    const message = `${error.message.slice(0, -1)}: no worker with this AMQP_PREFIX has been there.`;
    throw new BrokerError('queue-missing', message, { cause: error });
  }
}
