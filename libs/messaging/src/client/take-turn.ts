import { setTimeout as sleep } from 'node:timers/promises';

import type { ChannelModel } from 'amqplib';

import type { ForwarderLock } from '../replies/forwarder-lock.ts';
import { BusClientError } from './bus-client-error.ts';

const PAUSE_MS = 200;
/** A worker comes past some 30,000 parked replies in it. */
const LONGEST_WAIT_MS = 60_000;

/**
 * Waits until no worker is forwarding parked replies, and keeps all of them from it: two at once would deliver the
 * replies of one queue out of order.
 *
 * @param waiting called if a worker is forwarding
 * @returns whether it is this one's turn; not if the signal was aborted before
 * @throws BusClientError `not-taken` if it lasts longer than a minute
 */
export async function takeTurn(
  lock: ForwarderLock,
  model: ChannelModel,
  { signal, waiting }: { readonly signal: AbortSignal; readonly waiting: () => void },
): Promise<boolean> {
  const untilMs = performance.now() + LONGEST_WAIT_MS;
  for (let tries = 1; !signal.aborted; tries += 1) {
    if (await lock.isHeldBy(model)) return true;
    if (tries === 1) waiting();
    if (performance.now() > untilMs) {
      throw new BusClientError(
        'not-taken',
        'A worker has been delivering parked replies for a minute, and does what this would do.',
      );
    }
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
  return false;
}
