import type { ChannelModel, ConfirmChannel, Replies } from 'amqplib';

import { abandon, within } from './time-limits.ts';

/** Codes of AMQP with which the broker refuses something, and closes the channel for it. */
export const ACCESS_REFUSED = 403;
export const NOT_FOUND = 404;
export const PRECONDITION_FAILED = 406;

const COUNTS_TIMEOUT_MS = 1_000;

/** The broker's code for a refusal; `undefined` if the error is another one. */
export function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}

/**
 * Asks the broker something on a channel of its own, in confirm mode, which a refusal closes and which is given up afterwards.
 *
 * @param timeoutMs for the channel, and again for the work
 * @param what completes "… was not answered in time"
 * @throws Error as the broker said when it refused the work, with its `code`; as the work does, or if either takes too long
 */
export async function onChannel<T>(
  connection: ChannelModel,
  timeoutMs: number,
  what: string,
  work: (channel: ConfirmChannel) => Promise<T>,
): Promise<T> {
  const channel = await within(timeoutMs, 'a channel', connection.createConfirmChannel());
  let refusal: Error | undefined;
  channel.on('error', (error: Error) => (refusal = error));
  try {
    return await within(timeoutMs, what, work(channel));
  } catch (error) {
    // A confirm that was waited for says only that the channel has gone.
    throw codeOf(error) === undefined ? (refusal ?? error) : error;
  } finally {
    abandon(channel);
  }
}

/**
 * How many messages wait in a queue, and how many consumers it has; of a quorum queue without a leader the broker says 0.
 *
 * @returns undefined if there is no such queue
 * @throws Error if the broker does not tell, or not in time
 */
export async function countsOf(
  connection: ChannelModel,
  queue: string,
  timeoutMs = COUNTS_TIMEOUT_MS,
): Promise<Replies.AssertQueue | undefined> {
  try {
    return await onChannel(connection, timeoutMs, 'the depth of a queue', (channel) =>
      channel.checkQueue(queue),
    );
  } catch (error) {
    if (codeOf(error) === NOT_FOUND) return undefined;
    throw error;
  }
}
