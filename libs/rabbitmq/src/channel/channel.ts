import type { Channel, ChannelModel, Replies } from 'amqplib';

import { destroySocket } from '../amqplib/destroy-socket.ts';
import { codeOf, NOT_FOUND } from './refusal.ts';
import { within } from './time-limit.ts';

export const COUNTS_TIMEOUT_MS = 1_000;
const CLOSE_TIMEOUT_MS = 2_000;

/**
 * Opens a channel. If it opens after the time limit, it is closed.
 *
 * @throws Error if it does not open within `timeoutMs`
 */
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
 * Sends a request to the broker on a new channel, because a refusal closes the channel. The channel is closed
 * afterwards.
 *
 * @param timeoutMs the limit for opening the channel, and again for the work
 * @param what the beginning of the error "… was not answered in time"
 * @throws Error with the broker's message and `code` if it refused; the error of the work; or a timeout of
 *   either
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
 * Returns the number of ready messages and of consumers of a queue. For a quorum queue without a leader, the
 * broker reports 0.
 *
 * @returns undefined if there is no such queue
 * @throws Error if the broker does not answer in time
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
    // The broker also answers NOT_FOUND for a durable classic queue whose node is down.
    if (codeOf(error) === NOT_FOUND && !(error as Error).message.includes('is down')) return undefined;
    throw error;
  });
}

/**
 * Requests a close. Never rejects. Avoid awaiting it: the channel's process may hang until a queue has a
 * leader.
 */
export async function tryToClose(closable: Channel | ChannelModel): Promise<void> {
  try {
    await closable.close();
  } catch {
    // `close` throws if it is already closed.
  }
}

/**
 * Closes a channel or connection and waits for at most two seconds: a close whose handshake is interrupted
 * never settles. Never rejects. The socket of a connection is always destroyed afterwards.
 */
export async function closeInTime(closable: Channel | ChannelModel): Promise<void> {
  const closed = within(CLOSE_TIMEOUT_MS, 'the close', tryToClose(closable));
  const late = await closed.catch((error: unknown) => error as Error);
  // amqplib only half-closes the socket, which a broker under an alarm or behind a partition never reads.
  if (late || 'createChannel' in closable) destroySocket(closable, late ?? undefined);
}
