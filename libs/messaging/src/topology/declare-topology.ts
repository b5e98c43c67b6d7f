import type { Channel, ChannelModel } from 'amqplib';

import { closeWithin } from '../connection/close-within.ts';
import type { QueueDeclaration, Topology } from './topology.ts';

const PRECONDITION_FAILED = 406;
const CLOSE_TIMEOUT_MS = 2_000;

/** What stands on the broker differs from what this version declares. Waiting does not help; a person must decide. */
export class TopologyMismatchError extends Error {
  override readonly name = 'TopologyMismatchError';
}

/**
 * Declares all of it, idempotently, on a channel of its own.
 *
 * @throws TopologyMismatchError naming the exchange or queue that stands with other properties
 */
export async function declareTopology(connection: ChannelModel, topology: Topology): Promise<void> {
  const channel = await connection.createChannel();
  // The rejected call says what is wrong; without a listener the event would end the process.
  channel.on('error', () => undefined);
  for (const { name, type, arguments: args } of topology.exchanges) {
    await named('exchange', name, channel.assertExchange(name, type, { durable: true, arguments: args }));
  }
  for (const queue of topology.queues) await declareQueue(channel, queue);
  for (const { queue, exchange, routingKey } of topology.bindings) {
    await channel.bindQueue(queue, exchange, routingKey);
  }
  await closeWithin(CLOSE_TIMEOUT_MS, channel);
}

/** Declares one queue, which also renews the lease of one that expires. */
export async function declareQueue(
  channel: Channel,
  { name, arguments: args }: QueueDeclaration,
): Promise<void> {
  await named('queue', name, channel.assertQueue(name, { durable: true, arguments: args }));
}

async function named(kind: 'exchange' | 'queue', name: string, declaration: Promise<unknown>): Promise<void> {
  try {
    await declaration;
  } catch (error) {
    if ((error as { code?: unknown }).code !== PRECONDITION_FAILED) throw error;
    throw new TopologyMismatchError(
      `The ${kind} ${name} stands on the broker with other properties than this version declares. ` +
        `Empty and delete it, or choose another AMQP_PREFIX. The broker says: ${(error as Error).message}`,
      { cause: error },
    );
  }
}
