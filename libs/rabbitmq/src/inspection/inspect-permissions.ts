import type { ChannelModel, ConfirmChannel } from 'amqplib';

import { type MissingPermission, missingPermissionIn } from '../access.ts';
import { onConfirmChannel } from '../connection/on-channel.ts';

const TIMEOUT_MS = 4_000;

/** Each needs one permission more than the one before. */
const STEPS: readonly [
  MissingPermission['permission'],
  (channel: ConfirmChannel, queue: string) => Promise<unknown>,
][] = [
  ['configure', (channel, queue) => channel.assertQueue(queue, { exclusive: true, autoDelete: true })],
  [
    'write',
    (channel, queue) => {
      channel.sendToQueue(queue, Buffer.from('a question about permissions'));
      return channel.waitForConfirms();
    },
  ],
  ['read', (channel, queue) => channel.consume(queue, () => undefined, { noAck: true })],
];

/**
 * Whether the user of this connection may declare, write to and read a queue of this name, and publish to the default
 * exchange. The queue is made for that alone, and goes with its channel.
 *
 * @param queue a name that nobody uses
 * @returns the first permission that is missing
 */
export async function inspectPermissions(
  connection: ChannelModel,
  queue: string,
): Promise<MissingPermission | undefined> {
  let asked: MissingPermission['permission'] = 'configure';
  try {
    await onConfirmChannel(connection, TIMEOUT_MS, 'the question', async (channel) => {
      for (const [permission, step] of STEPS) {
        asked = permission;
        await step(channel, queue);
      }
    });
    return undefined;
  } catch (error) {
    const missing = missingPermissionIn(error, asked);
    if (!missing) throw error;
    return missing;
  }
}
