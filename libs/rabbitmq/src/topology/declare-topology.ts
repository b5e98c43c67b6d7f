import type { ChannelModel } from 'amqplib';

import { onChannel } from '../connection/on-channel.ts';
import type { Topology } from './topology.ts';

const PRECONDITION_FAILED = 406;
const ANSWER_TIMEOUT_MS = 4_000;

/** What stands on the broker differs from what this version declares. Waiting does not help; a person must decide. */
export class TopologyMismatchError extends Error {
  override readonly name = 'TopologyMismatchError';
}

/**
 * Declares all of it, idempotently: the exchanges, then each queue with its bindings on a channel of its own, so that one
 * that the broker keeps waiting holds up no other.
 *
 * @throws TopologyMismatchError naming the exchange or queue that stands with other properties
 */
export async function declareTopology(connection: ChannelModel, topology: Topology): Promise<void> {
  const { exchanges, queues, bindings } = topology;
  await onChannel(connection, ANSWER_TIMEOUT_MS, 'a declaration', async (channel) => {
    for (const { name, type, arguments: args } of exchanges) {
      await named('exchange', name, channel.assertExchange(name, type, { durable: true, arguments: args }));
    }
  });
  const declared = queues.map(({ name, arguments: args }) =>
    onChannel(connection, ANSWER_TIMEOUT_MS, 'a declaration', async (channel) => {
      await named('queue', name, channel.assertQueue(name, { durable: true, arguments: args }));
      for (const { exchange, routingKey } of bindings.filter(({ queue }) => queue === name)) {
        await channel.bindQueue(name, exchange, routingKey);
      }
    }),
  );
  // Each is told of its own failure; the first one is that of all.
  await Promise.allSettled(declared);
  await Promise.all(declared);
}

async function named(kind: 'exchange' | 'queue', name: string, declaration: Promise<unknown>): Promise<void> {
  try {
    await declaration;
  } catch (error) {
    if ((error as { code?: unknown }).code !== PRECONDITION_FAILED) throw error;
    throw new TopologyMismatchError(
      `The ${kind} ${name} exists on the broker with other properties than this version declares. ` +
        `The broker says: ${(error as Error).message}. Empty and delete it.`,
      { cause: error },
    );
  }
}
