import type { ChannelModel, ConfirmChannel } from 'amqplib';

import { within } from '#resilience';

import { abandon } from '../connection/close-within.ts';

const TIMEOUT_MS = 4_000;

/**
 * Does something on a confirming channel of its own.
 *
 * @throws Error the broker's, with its code, if it closed the channel; else as the work does
 */
export async function onConfirmChannel(
  connection: ChannelModel,
  work: (channel: ConfirmChannel) => Promise<unknown>,
): Promise<void> {
  const channel = await within(TIMEOUT_MS, 'a channel', connection.createConfirmChannel());
  let refusal: Error | undefined;
  channel.on('error', (error: Error) => (refusal = error));
  try {
    await work(channel);
  } catch (error) {
    // What was waited for says only that the channel has gone.
    throw refusal ?? error;
  } finally {
    abandon(channel);
  }
}
