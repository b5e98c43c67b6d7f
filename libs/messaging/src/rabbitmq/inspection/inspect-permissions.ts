import type { ChannelModel, ConfirmChannel } from 'amqplib';

import { within } from '#resilience';

import { onConfirmChannel } from './on-confirm-channel.ts';

const TIMEOUT_MS = 4_000;
const ACCESS_REFUSED = 403;

export type Permission = 'configure' | 'write' | 'read';

export interface MissingPermission {
  readonly permission: Permission;
  /** In the broker's words: the exchange or queue, the virtual host and the user. */
  readonly reason: string;
}

/** Each needs one permission more than the one before. */
const STEPS: readonly [Permission, (channel: ConfirmChannel, queue: string) => Promise<unknown>][] = [
  ['configure', (channel, queue) => channel.assertQueue(queue, { exclusive: true, autoDelete: true })],
  [
    'write',
    (channel, queue) => {
      channel.sendToQueue(queue, Buffer.from('a question of poker-bridge doctor'));
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
  let asked: Permission = 'configure';
  try {
    await onConfirmChannel(connection, async (channel) => {
      for (const [permission, step] of STEPS) {
        asked = permission;
        await within(TIMEOUT_MS, 'the question', step(channel, queue));
      }
    });
    return undefined;
  } catch (error) {
    if ((error as { code?: unknown }).code !== ACCESS_REFUSED) throw error;
    return { permission: asked, reason: reasonOf(error as Error) };
  }
}

/** The broker says "ACCESS_REFUSED - access to queue 'q' in vhost '/' refused for user 'u'". */
function reasonOf({ message }: Error): string {
  return /ACCESS_REFUSED - ([^"]+)/.exec(message)?.[1] ?? message;
}
