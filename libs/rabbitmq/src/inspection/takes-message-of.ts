import type { ChannelModel } from 'amqplib';

import { onConfirmChannel } from '../connection/on-channel.ts';

const PRECONDITION_FAILED = 406;
const TIMEOUT_MS = 30_000;

/**
 * Whether the broker takes a message of this size. It is published to a queue that does not exist, and so kept nowhere.
 *
 * @throws Error if the broker does not answer, or refuses it for another reason
 */
export async function takesMessageOf(connection: ChannelModel, bytes: number): Promise<boolean> {
  try {
    await onConfirmChannel(connection, TIMEOUT_MS, 'the question', (channel) => {
      channel.sendToQueue('a queue that does not exist', Buffer.alloc(bytes));
      return channel.waitForConfirms();
    });
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === PRECONDITION_FAILED) return false;
    throw error;
  }
}
