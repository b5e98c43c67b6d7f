import type { Channel, ChannelModel, Replies } from 'amqplib';

import { codeOf, NOT_FOUND, onChannel, PRECONDITION_FAILED } from './connection/questions.ts';

export interface QueueDeclaration {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface ExchangeDeclaration extends QueueDeclaration {
  readonly type: 'direct' | 'fanout' | 'topic';
}

export interface Binding {
  readonly queue: string;
  readonly exchange: string;
  readonly routingKey: string;
}

/** What a service declares, in this order. All of it is durable. */
export interface Topology {
  readonly exchanges: readonly ExchangeDeclaration[];
  readonly queues: readonly QueueDeclaration[];
  readonly bindings: readonly Binding[];
}

/** What exists on the broker under the name of one exchange or queue of a topology. */
export interface Standing {
  readonly kind: 'exchange' | 'queue';
  readonly name: string;
  readonly state: 'as-declared' | 'different' | 'missing' | 'unknown';
  /** Why it is different or unknown. */
  readonly reason?: string;
  /** Of a queue as declared. */
  readonly messages?: number | undefined;
  readonly consumers?: number | undefined;
}

const ANSWER_TIMEOUT_MS = 4_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const GIB = 1024 ** 3;

/** A service decides long before; this dead-letters what a broken one would take again and again. */
const DELIVERY_LIMIT = 50;
/** As good as none: looking into a queue must neither drop its messages (RabbitMQ 4) nor move them to its tail. */
const NO_DELIVERY_LIMIT = 1_000_000_000;

/**
 * Declares a topology, idempotently: the exchanges, then the queues with their bindings, each on a channel of its own, so that
 * one that the broker keeps waiting holds up no other.
 *
 * @param only the name of the one exchange or queue to declare; default: all of them
 * @returns a sentence on an exchange or queue that exists with other properties, which is bound all the same; `undefined` if
 *   none does. Waiting does not help; a person must decide
 */
export async function declareTopology(
  connection: ChannelModel,
  { exchanges, queues, bindings }: Topology,
  only?: string,
): Promise<string | undefined> {
  const ask = (part: Declaration, isDeclared: boolean): Promise<void> =>
    onChannel(connection, ANSWER_TIMEOUT_MS, 'a declaration', async (channel) => {
      if (!isDeclared) await declare(channel, part);
      for (const { queue, exchange, routingKey } of bindings)
        if (queue === part.name && !isExchange(part)) await channel.bindQueue(queue, exchange, routingKey);
    });
  const mismatches: string[] = [];
  const declareOne = async (part: Declaration): Promise<void> => {
    try {
      await ask(part, false);
    } catch (error) {
      if (codeOf(error) !== PRECONDITION_FAILED) throw error;
      await ask(part, true);
      mismatches.push(
        `The ${kindOf(part)} ${part.name} exists on the broker with other properties than this version declares. ` +
          `The broker says: ${(error as Error).message}. Empty and delete it.`,
      );
    }
  };
  for (const parts of [exchanges, queues]) {
    const wanted = parts.filter(({ name }) => only === undefined || name === only);
    const declared = wanted.map(declareOne);
    // The first failure is that of all, once each is done.
    await Promise.allSettled(declared);
    await Promise.all(declared);
  }
  // The same one each time.
  return mismatches.toSorted()[0];
}

/** Compares a topology with what exists: that is declared once more, which creates nothing and fails if its properties differ. */
export function inspectTopology(
  connection: ChannelModel,
  { exchanges, queues }: Topology,
): Promise<Standing[]> {
  const inspect = async (part: Declaration): Promise<Standing> => {
    const { name } = part;
    const compare = async (channel: Channel): Promise<Partial<Replies.AssertQueue>> => {
      const found = await (isExchange(part) ? channel.checkExchange(name) : channel.checkQueue(name));
      await declare(channel, part);
      return found;
    };
    const standing = { kind: kindOf(part), name };
    try {
      const found = await onChannel(connection, ANSWER_TIMEOUT_MS, 'the question', compare);
      const { messageCount: messages, consumerCount: consumers } = found;
      return { ...standing, state: 'as-declared', messages, consumers };
    } catch (error) {
      if (codeOf(error) === NOT_FOUND) return { ...standing, state: 'missing' };
      const state = codeOf(error) === PRECONDITION_FAILED ? 'different' : 'unknown';
      return { ...standing, state, reason: (error as Error).message };
    }
  };
  return Promise.all([...exchanges, ...queues].map(inspect));
}

type Declaration = ExchangeDeclaration | QueueDeclaration;

function isExchange(part: Declaration): part is ExchangeDeclaration {
  return 'type' in part;
}

function kindOf(part: Declaration): Standing['kind'] {
  return isExchange(part) ? 'exchange' : 'queue';
}

function declare(channel: Channel, part: Declaration): Promise<unknown> {
  const options = { durable: true, arguments: part.arguments };
  if (isExchange(part)) return channel.assertExchange(part.name, part.type, options);
  return channel.assertQueue(part.name, options);
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
