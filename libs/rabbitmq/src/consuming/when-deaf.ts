import type { ChannelModel } from 'amqplib';

import { depthOf } from '../connection/on-channel.ts';
import { pause } from '../connection/within.ts';

/** Between two looks at the queue of a consumer that may be deaf, as a share: a busy broker takes a while to deliver. */
const SECOND_LOOK = 1 / 2;

/**
 * Rejects once a consumer has gone deaf: its queue holds messages, it has nothing in flight, and nothing comes. The
 * broker's status of such a consumer says that all is well.
 *
 * @param patienceMs until a first look at the queue
 * @param received how many messages it was given; `undefined` while it could take none, or has one in flight
 * @param signal ends it
 * @throws Error when it has gone deaf, or is ended
 */
export async function whenDeaf(
  connection: ChannelModel,
  queue: string,
  patienceMs: () => number,
  received: () => number | undefined,
  signal: AbortSignal,
): Promise<never> {
  const isLeftOut = async (before: number | undefined): Promise<boolean> => {
    if (before === undefined || received() !== before) return false;
    // If the queue or the connection has gone, their own events tell.
    const depth = await depthOf(connection, queue).catch(() => 0);
    return (depth ?? 0) > 0 && received() === before;
  };
  for (let before = received(); !signal.aborted; before = received()) {
    await pause(patienceMs(), signal);
    if (!(await isLeftOut(before))) continue;
    await pause(SECOND_LOOK * patienceMs(), signal);
    if (await isLeftOut(before)) break;
  }
  throw new Error('its queue holds messages, and none came');
}
