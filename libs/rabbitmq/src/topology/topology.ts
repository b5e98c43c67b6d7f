import type { Channel, ChannelModel, Replies } from 'amqplib';

import { onChannel } from '../channel/channel.ts';
import { codeOf, NOT_FOUND, PRECONDITION_FAILED } from '../channel/refusal.ts';

/** A durable queue, or a durable exchange if `type` is set. */
export interface Declaration {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly type?: 'direct' | 'fanout' | 'topic';
}

/** The exchanges, queues and bindings that a service declares, in this order. */
export interface Topology {
  readonly exchanges: readonly Declaration[];
  readonly queues: readonly Declaration[];
  readonly bindings: readonly Readonly<Record<'queue' | 'exchange' | 'routingKey', string>>[];
}

/** The state on the broker of one exchange or queue of a topology. */
export interface Standing {
  readonly kind: 'exchange' | 'queue';
  readonly name: string;
  readonly state: 'as-declared' | 'different' | 'missing' | 'unknown';
  /** Why the state is `different` or `unknown`. */
  readonly reason?: string;
  /** Ready messages of a queue in the state `as-declared`. */
  readonly messages?: number | undefined;
  readonly consumers?: number | undefined;
}

const ANSWER_TIMEOUT_MS = 4_000;

/**
 * Declares a topology idempotently: first the exchanges, then the queues with their bindings. Each has a
 * channel of its own, so that one declaration without an answer does not delay the others.
 *
 * @param only the name of the one exchange or queue to declare; default: all of them
 * @returns a sentence about an exchange or queue that exists with other properties, which is bound
 *   nevertheless; `undefined` if there is none. Only a person can resolve it
 */
export async function declareTopology(
  connection: ChannelModel,
  { exchanges, queues, bindings }: Topology,
  only?: string,
): Promise<string | undefined> {
  const mismatches: string[] = [];
  const declareOne = async (part: Declaration): Promise<void> => {
    const { name, type } = part;
    const bind = async (channel: Channel): Promise<void> => {
      for (const { queue, exchange, routingKey } of bindings)
        if (queue === name && !type) await channel.bindQueue(queue, exchange, routingKey);
    };
    try {
      await ask(connection, (channel) => declare(channel, part).then(() => bind(channel)));
    } catch (error) {
      if (codeOf(error) !== PRECONDITION_FAILED) throw error;
      await ask(connection, bind);
      mismatches.push(
        `The ${kindOf(part)} ${name} exists on the broker with other properties than this version declares. ` +
          `The broker says: ${(error as Error).message}. Empty and delete it.`,
      );
    }
  };
  for (const parts of [exchanges, queues]) {
    const wanted = parts.filter(({ name }) => only === undefined || name === only);
    const declared = wanted.map(declareOne);
    // Throws the first failure after all declarations have settled.
    await Promise.allSettled(declared);
    await Promise.all(declared);
  }
  // Sorted, so that repeated calls return the same one.
  return mismatches.toSorted()[0];
}

/**
 * Compares a topology with the broker. Existing parts are redeclared, which creates nothing and fails if
 * properties differ.
 */
export function inspectTopology(
  connection: ChannelModel,
  { exchanges, queues }: Topology,
): Promise<Standing[]> {
  const inspect = async (part: Declaration): Promise<Standing> => {
    const { name, type } = part;
    const standing = { kind: kindOf(part), name };
    try {
      const found: Partial<Replies.AssertQueue> = await ask(connection, async (channel) => {
        const counts = await (type ? channel.checkExchange(name) : channel.checkQueue(name));
        await declare(channel, part);
        return counts;
      });
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

function ask<T>(connection: ChannelModel, work: (channel: Channel) => Promise<T>): Promise<T> {
  return onChannel(connection, ANSWER_TIMEOUT_MS, 'a declaration', work);
}

function kindOf({ type }: Declaration): Standing['kind'] {
  return type ? 'exchange' : 'queue';
}

function declare(channel: Channel, { name, type, arguments: args }: Declaration): Promise<unknown> {
  const options = { durable: true, arguments: args };
  return type ? channel.assertExchange(name, type, options) : channel.assertQueue(name, options);
}

export function quorumQueue(name: string, rest: Declaration['arguments'] = {}): Declaration {
  return { name, arguments: { 'x-queue-type': 'quorum', ...rest } };
}

/** Returns the arguments for at-least-once dead lettering, which requires `reject-publish`. */
export function deadLetteringTo(queue: string): Declaration['arguments'] {
  return {
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': queue,
    'x-dead-letter-strategy': 'at-least-once',
    'x-overflow': 'reject-publish',
  };
}
