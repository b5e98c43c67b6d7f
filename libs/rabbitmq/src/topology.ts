import type { Channel, ChannelModel } from 'amqplib';

import { codeOf, onChannel, PRECONDITION_FAILED } from './connection/questions.ts';

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
const DAY_MS = 24 * 60 * 60 * 1000;
const GIB = 1024 ** 3;

/** A service decides long before; this dead-letters what a broken one would take again and again. */
const DELIVERY_LIMIT = 50;
/** As good as none: looking into a queue must neither drop its messages (RabbitMQ 4) nor move them to its tail. */
const NO_DELIVERY_LIMIT = 1_000_000_000;

/** What exists on the broker differs from what this version declares. Waiting does not help; a person must decide. */
export class TopologyMismatchError extends Error {
  override readonly name = 'TopologyMismatchError';
}

/**
 * Declares a topology, idempotently: the exchanges, then each queue with its bindings on a channel of its own, so that one
 * that the broker keeps waiting holds up no other.
 *
 * @param only the name of the one exchange or queue to declare; default: all of them
 * @throws TopologyMismatchError naming the exchange or queue that exists with other properties
 */
export async function declareTopology(
  connection: ChannelModel,
  { exchanges, queues, bindings }: Topology,
  only?: string,
): Promise<void> {
  const isWanted = ({ name }: { name: string }): boolean => only === undefined || name === only;
  const declare = async (
    kind: 'exchange' | 'queue',
    name: string,
    work: (channel: Channel) => Promise<unknown>,
  ): Promise<void> => {
    try {
      await onChannel(connection, ANSWER_TIMEOUT_MS, 'a declaration', work);
    } catch (error) {
      throw codeOf(error) === PRECONDITION_FAILED ? mismatch(kind, name, error as Error) : error;
    }
  };
  for (const exchange of exchanges.filter(isWanted))
    await declare('exchange', exchange.name, (channel) => assertExchange(channel, exchange));
  const declared = queues.filter(isWanted).map((queue) =>
    declare('queue', queue.name, async (channel) => {
      await assertQueue(channel, queue);
      for (const binding of bindings) {
        if (binding.queue !== queue.name) continue;
        await channel.bindQueue(queue.name, binding.exchange, binding.routingKey);
      }
    }),
  );
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

/** A quorum queue of work: what no consumer can take goes to another queue, and nothing is dropped. */
export function workQueue(name: string, deadLetters: string): QueueDeclaration {
  return quorum(name, { 'x-delivery-limit': DELIVERY_LIMIT, ...deadLetteringTo(deadLetters) });
}

/** A quorum queue that keeps messages for people to look at, for some days and up to 1 GiB. */
export function keepingQueue(name: string, days: number): QueueDeclaration {
  return quorum(name, {
    'x-delivery-limit': NO_DELIVERY_LIMIT,
    'x-message-ttl': days * DAY_MS,
    'x-max-length-bytes': GIB,
  });
}

/** Holds what waits for one delay, then dead-letters it to `target`. It does not expire, and no delay of others blocks it. */
export function retryQueue(name: string, delayMs: number, target: string): QueueDeclaration {
  return quorum(name, {
    'x-delivery-limit': NO_DELIVERY_LIMIT,
    'x-message-ttl': delayMs,
    ...deadLetteringTo(target),
  });
}

export interface Postponement {
  /** The delays of the retry queues, milliseconds, shortest first. */
  readonly delaysMs: readonly number[];
  /** Times that the message was postponed before. */
  readonly postponed: number;
  /** The shortest wait that makes sense, if it is known. */
  readonly retryAfterMs: number | undefined;
  /** Until the deadline. */
  readonly remainingMs: number;
}

/**
 * The delay that a postponed message waits: one further each time, never shorter than `retryAfterMs` while there is one
 * that long, after the last one the last again.
 *
 * @returns `undefined` if waiting would pass the deadline
 */
export function nextDelayMs(postponement: Postponement): number | undefined {
  const { delaysMs, postponed, retryAfterMs = 0, remainingMs } = postponement;
  const last = delaysMs.length - 1;
  const longEnough = delaysMs.findIndex((delayMs) => delayMs >= retryAfterMs);
  const index = Math.min(Math.max(postponed, longEnough === -1 ? last : longEnough), last);
  const delayMs = delaysMs[index];
  return delayMs !== undefined && Math.max(delayMs, retryAfterMs) < remainingMs ? delayMs : undefined;
}

/** A queue that holds nothing: who has it exclusively has the lock. */
export function lockQueue(name: string): QueueDeclaration {
  return { name, arguments: { 'x-queue-type': 'classic', 'x-max-length': 0 } };
}

function quorum(name: string, rest: Record<string, unknown>): QueueDeclaration {
  return { name, arguments: { 'x-queue-type': 'quorum', ...rest } };
}

/** At-least-once dead lettering, which the broker offers only together with `reject-publish`. */
function deadLetteringTo(queue: string): Record<string, unknown> {
  return {
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': queue,
    'x-dead-letter-strategy': 'at-least-once',
    'x-overflow': 'reject-publish',
  };
}

function mismatch(kind: 'exchange' | 'queue', name: string, cause: Error): TopologyMismatchError {
  return new TopologyMismatchError(
    `The ${kind} ${name} exists on the broker with other properties than this version declares. ` +
      `The broker says: ${cause.message}. Empty and delete it.`,
    { cause },
  );
}
