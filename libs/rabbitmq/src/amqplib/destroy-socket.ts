import type { Duplex } from 'node:stream';

import type { Channel, ChannelModel } from 'amqplib';

/** Cuts the TCP connection, which amqplib reports as a lost connection. */
export function destroySocket(of: Channel | ChannelModel, reason?: Error): void {
  const { connection } = of as unknown as { connection?: { stream?: Duplex } };
  connection?.stream?.destroy(reason);
}
