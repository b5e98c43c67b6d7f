import type { ChannelModel } from 'amqplib';

import { onChannel } from './on-channel.ts';

const TIMEOUT_MS = 1_000;

/**
 * How many messages wait in a queue; of a quorum queue without a leader the broker says 0. Asked on a channel of its
 * own, since the question closes it if the queue has gone or is another connection's own.
 *
 * @throws Error if the broker does not tell, or not in time
 */
export async function depthOf(connection: ChannelModel, queue: string): Promise<number> {
  const look = onChannel(connection, TIMEOUT_MS, 'the depth of a queue', (channel) =>
    channel.checkQueue(queue),
  );
  return (await look).messageCount;
}
