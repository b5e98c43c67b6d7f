import type { Channel, ChannelModel } from 'amqplib';

import { within } from '#resilience';

import { abandon } from './close-within.ts';

/**
 * Asks the broker something on a channel of its own, which a refusal closes and which is given up afterwards.
 *
 * @param timeoutMs for the channel, and again for the work
 * @param what completes "… was not answered in time"
 * @throws Error as the work does, or if either takes too long
 */
export async function onChannel<T>(
  connection: ChannelModel,
  timeoutMs: number,
  what: string,
  work: (channel: Channel) => Promise<T>,
): Promise<T> {
  const channel = await within(timeoutMs, 'a channel', connection.createChannel());
  // The rejected call says what is wrong; without a listener the event would end the process.
  channel.on('error', () => undefined);
  try {
    return await within(timeoutMs, what, work(channel));
  } finally {
    abandon(channel);
  }
}
