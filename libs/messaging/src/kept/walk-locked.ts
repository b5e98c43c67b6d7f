import type { ChannelModel } from 'amqplib';

import { closeWithin, depthAfterWalk, depthOf, type QueueLock, walkQueue } from '#rabbitmq';

const CLOSE_TIMEOUT_MS = 2_000;

type Walk = ReturnType<typeof walkQueue>;

/**
 * Walks through a queue that keeps messages, unless another worker does, and waits until what it leaves is back in its
 * place: the next walk would otherwise show it behind later messages.
 *
 * @param look goes through the walk to its end, and gives the number of messages that it leaves
 * @returns whether this worker had the lock
 */
export async function walkLocked(
  connection: ChannelModel,
  lock: QueueLock,
  queue: string,
  options: Parameters<typeof walkQueue>[2],
  look: (walk: Walk) => Promise<number>,
): Promise<boolean> {
  if (!(await lock.isHeldBy(connection))) return false;
  try {
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    let left: number;
    try {
      left = await look(walkQueue(channel, queue, options));
    } finally {
      await closeWithin(CLOSE_TIMEOUT_MS, channel);
    }
    await depthAfterWalk(async () => (await depthOf(connection, queue)) ?? 0, left);
    return true;
  } finally {
    await lock.release(connection);
  }
}
