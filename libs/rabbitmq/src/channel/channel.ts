import type { Channel, ChannelModel, Replies } from 'amqplib';

import { destroySocket } from '../amqplib/destroy-socket.ts';
import { codeOf, NOT_FOUND } from './refusal.ts';
import { within } from './time-limit.ts';

export const COUNTS_TIMEOUT_MS = 1_000;
const CLOSE_TIMEOUT_MS = 2_000;

/** Opens a channel, or closes it if it opens too late. @throws Error if it does not open in time */
export async function openChannel(connection: ChannelModel, timeoutMs: number): Promise<Channel> {
  const opening = connection.createChannel();
  try {
    const channel = await within(timeoutMs, 'a channel', opening);
    channel.on('error', () => undefined);
    return channel;
  } catch (error) {
    void opening.then(tryToClose, () => undefined);
    throw error;
  }
}

/**
 * Asks the broker something on a channel of its own, which a refusal closes and which is given up afterwards.
 *
 * @param timeoutMs for the channel, and again for the work
 * @param what completes "… was not answered in time"
 * @throws Error as the broker said when it refused the work, with its `code`; as the work does, or if either takes too long
 */
export async function onChannel<T>(
  connection: ChannelModel,
  timeoutMs: number,
  what: string,
  work: (channel: Channel) => Promise<T>,
): Promise<T> {
  const channel = await openChannel(connection, timeoutMs);
  try {
    return await within(timeoutMs, what, work(channel));
  } finally {
    void tryToClose(channel);
  }
}

/**
 * How many messages wait in a queue, and how many consumers it has; of a quorum queue without a leader the broker says 0.
 *
 * @returns undefined if there is no such queue
 * @throws Error if the broker does not tell, or not in time
 */
export function countsOf(
  connection: ChannelModel,
  queue: string,
  timeoutMs = COUNTS_TIMEOUT_MS,
): Promise<Replies.AssertQueue | undefined> {
  const counted = onChannel(connection, timeoutMs, 'the depth of a queue', (channel) =>
    channel.checkQueue(queue),
  );
  return counted.catch((error: unknown) => {
    // A durable classic queue is not found either while its node is down.
    if (codeOf(error) === NOT_FOUND && !(error as Error).message.includes('is down')) return undefined;
    throw error;
  });
}

/** Asks for a close. Never rejects, but is best not awaited: the process of a channel may hang until a queue has a leader. */
export async function tryToClose(closable: Channel | ChannelModel): Promise<void> {
  try {
    await closable.close();
  } catch {
    // It throws at once if it is closed already.
  }
}

/**
 * Closes a channel or connection and waits for two seconds at most: a close that is cut in its handshake never settles.
 * Never rejects; the socket of a connection is destroyed afterwards in any case.
 */
export async function closeInTime(closable: Channel | ChannelModel): Promise<void> {
  const closed = within(CLOSE_TIMEOUT_MS, 'the close', tryToClose(closable));
  const late = await closed.catch((error: unknown) => error as Error);
  // amqplib only ends it, and a broker under an alarm, or behind a network that is cut, does not read that.
  if (late || 'createChannel' in closable) destroySocket(closable, late ?? undefined);
}
