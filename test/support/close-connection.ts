import type { Socket } from 'node:net';

import type { ChannelModel } from 'amqplib';

import { within } from '../../libs/rabbitmq/src/connection/within.ts';

// `closeWithin` of rabbitmq does the same, but imports built code, which the tasks that use this do not have yet.

/** Closes a connection, or cuts it if the broker does not answer that in time. Never rejects. */
export async function closeConnection(model: ChannelModel, timeoutMs: number): Promise<void> {
  try {
    await within(timeoutMs, 'the close', model.close());
  } catch {
    (model as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
  }
}
