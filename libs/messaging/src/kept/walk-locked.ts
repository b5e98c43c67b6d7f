import type { ChannelModel } from 'amqplib';

import { type QueueLock, QueueWalk } from '#rabbitmq';

/**
 * Walks through a queue that keeps messages, unless another worker does, and waits until what it leaves is back in its
 * place: the next walk would otherwise show it behind later messages.
 *
 * @param look goes through the walk to its end
 * @returns whether this worker had the lock
 */
export async function walkLocked(
  connection: ChannelModel,
  lock: QueueLock,
  queue: string,
  options: Parameters<typeof QueueWalk.open>[2],
  look: (walk: QueueWalk) => Promise<void>,
): Promise<boolean> {
  if (!(await lock.isHeldBy(connection))) return false;
  try {
    await using walk = await QueueWalk.open(connection, queue, options);
    await look(walk);
    return true;
  } finally {
    await lock.release(connection);
  }
}
