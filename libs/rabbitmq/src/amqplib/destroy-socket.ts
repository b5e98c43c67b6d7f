import type { Duplex } from 'node:stream';

import type { Channel, ChannelModel } from 'amqplib';

/** Destroys the socket of a channel or connection. amqplib reports that as a lost connection. */
export function destroySocket(of: Channel | ChannelModel, reason?: Error): void {
  const { connection } = of as unknown as { connection?: { stream?: Duplex } };
  connection?.stream?.destroy(reason);
}
