import type { Channel, ChannelModel, ConfirmChannel, Replies } from 'amqplib';

import { abandon } from './close-within.ts';
import { within } from './within.ts';

const DEPTH_TIMEOUT_MS = 1_000;
const NOT_FOUND = 404;

/**
 * Asks the broker something on a channel of its own, which a refusal closes and which is given up afterwards.
 *
 * @param timeoutMs for the channel, and again for the work
 * @param what completes "… was not answered in time"
 * @throws Error as the work does, or if either takes too long
 */
export function onChannel<T>(
  connection: ChannelModel,
  timeoutMs: number,
  what: string,
  work: (channel: Channel) => Promise<T>,
): Promise<T> {
  return ask(connection.createChannel(), timeoutMs, what, work);
}

/**
 * The same on a channel in confirm mode.
 *
 * @throws Error as the broker said when it closed the channel, with its `code`; else as `onChannel` does
 */
export function onConfirmChannel<T>(
  connection: ChannelModel,
  timeoutMs: number,
  what: string,
  work: (channel: ConfirmChannel) => Promise<T>,
): Promise<T> {
  return ask(connection.createConfirmChannel(), timeoutMs, what, work);
}

/**
 * How many messages wait in a queue; of a quorum queue without a leader the broker says 0.
 *
 * @returns undefined if there is no such queue
 * @throws Error if the broker does not tell, or not in time
 */
export async function depthOf(
  connection: ChannelModel,
  queue: string,
  timeoutMs?: number,
): Promise<number | undefined> {
  return (await countsOf(connection, queue, timeoutMs))?.messageCount;
}

/**
 * How many messages wait in a queue, and how many consumers it has.
 *
 * @returns undefined if there is no such queue
 * @throws Error if the broker does not tell, or not in time
 */
export async function countsOf(
  connection: ChannelModel,
  queue: string,
  timeoutMs = DEPTH_TIMEOUT_MS,
): Promise<Replies.AssertQueue | undefined> {
  try {
    return await onChannel(connection, timeoutMs, 'the depth of a queue', (channel) =>
      channel.checkQueue(queue),
    );
  } catch (error) {
    if ((error as { code?: unknown }).code === NOT_FOUND) return undefined;
    throw error;
  }
}

async function ask<C extends Channel, T>(
  opening: Promise<C>,
  timeoutMs: number,
  what: string,
  work: (channel: C) => Promise<T>,
): Promise<T> {
  const channel = await within(timeoutMs, 'a channel', opening);
  let refusal: Error | undefined;
  channel.on('error', (error: Error) => (refusal = error));
  try {
    return await within(timeoutMs, what, work(channel));
  } catch (error) {
    // A confirm that was waited for says only that the channel has gone.
    throw 'waitForConfirms' in channel ? (refusal ?? error) : error;
  } finally {
    abandon(channel);
  }
}
