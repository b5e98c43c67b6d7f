import type { Channel, ChannelModel } from 'amqplib';

import { codeOf, onChannel, PRECONDITION_FAILED } from '../connection/on-channel.ts';

export interface ExchangeDeclaration {
  readonly name: string;
  readonly type: 'direct' | 'fanout' | 'topic';
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface QueueDeclaration {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface Binding {
  readonly queue: string;
  readonly exchange: string;
  readonly routingKey: string;
}

/** What a service declares at start, in this order. All of it is durable. */
export interface Topology {
  readonly exchanges: readonly ExchangeDeclaration[];
  readonly queues: readonly QueueDeclaration[];
  readonly bindings: readonly Binding[];
}

const ANSWER_TIMEOUT_MS = 4_000;

/** What exists on the broker differs from what this version declares. Waiting does not help; a person must decide. */
export class TopologyMismatchError extends Error {
  override readonly name = 'TopologyMismatchError';
}

/**
 * Declares all of it, idempotently: the exchanges, then each queue with its bindings on a channel of its own, so that one
 * that the broker keeps waiting holds up no other.
 *
 * @throws TopologyMismatchError naming the exchange or queue that exists with other properties
 */
export async function declareTopology(connection: ChannelModel, topology: Topology): Promise<void> {
  const { exchanges, queues, bindings } = topology;
  const declare = (work: (channel: Channel) => Promise<unknown>): Promise<unknown> =>
    onChannel(connection, ANSWER_TIMEOUT_MS, 'a declaration', work);
  for (const exchange of exchanges) {
    await named(
      'exchange',
      exchange.name,
      declare((channel) => assertExchange(channel, exchange)),
    );
  }
  const declared = queues.map((queue) => {
    const declaration = declare(async (channel) => {
      await assertQueue(channel, queue);
      for (const binding of bindings) {
        if (binding.queue !== queue.name) continue;
        await channel.bindQueue(queue.name, binding.exchange, binding.routingKey);
      }
    });
    return named('queue', queue.name, declaration);
  });
  // The first failure is that of all, once each is done.
  await Promise.allSettled(declared);
  await Promise.all(declared);
}

export function assertExchange(channel: Channel, { name, type, arguments: args }: ExchangeDeclaration) {
  return channel.assertExchange(name, type, { durable: true, arguments: args });
}

export function assertQueue(channel: Channel, { name, arguments: args }: QueueDeclaration) {
  return channel.assertQueue(name, { durable: true, arguments: args });
}

async function named(kind: 'exchange' | 'queue', name: string, declaration: Promise<unknown>): Promise<void> {
  try {
    await declaration;
  } catch (error) {
    if (codeOf(error) !== PRECONDITION_FAILED) throw error;
    throw new TopologyMismatchError(
      `The ${kind} ${name} exists on the broker with other properties than this version declares. ` +
        `The broker says: ${(error as Error).message}. Empty and delete it.`,
      { cause: error },
    );
  }
}
