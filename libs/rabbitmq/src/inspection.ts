import type { Channel, ChannelModel } from 'amqplib';

import { type MissingPermission, missingPermissionIn, type Permissions } from './access.ts';
import { codeOf, NOT_FOUND, onChannel, PRECONDITION_FAILED } from './connection/questions.ts';
import { assertExchange, assertQueue, type Topology } from './topology.ts';

const TIMEOUT_MS = 4_000;
const LARGE_MESSAGE_TIMEOUT_MS = 30_000;

/** What exists on the broker under the name of one exchange or queue of a topology. */
export interface Standing {
  readonly kind: 'exchange' | 'queue';
  readonly name: string;
  readonly state: 'as-declared' | 'different' | 'missing' | 'unknown';
  /** The broker's, or what else kept it from answering; absent if it is as declared, or missing. */
  readonly reason?: string;
  /** A queue as declared: messages that wait, and consumers. */
  readonly messages?: number;
  readonly consumers?: number;
}

const STATES = new Map<unknown, Standing['state']>([
  [NOT_FOUND, 'missing'],
  [PRECONDITION_FAILED, 'different'],
]);

/**
 * Compares all of a topology with what exists on the broker, and creates nothing: what exists is declared once more, which
 * changes nothing and fails if its properties differ.
 */
export async function inspectTopology(
  connection: ChannelModel,
  { exchanges, queues }: Topology,
): Promise<Standing[]> {
  const ofExchanges = exchanges.map((exchange) =>
    standingOf(connection, 'exchange', exchange.name, async (channel) => {
      await channel.checkExchange(exchange.name);
      await assertExchange(channel, exchange);
    }),
  );
  const ofQueues = queues.map((queue) =>
    standingOf(connection, 'queue', queue.name, async (channel) => {
      const { messageCount, consumerCount } = await channel.checkQueue(queue.name);
      await assertQueue(channel, queue);
      return { messages: messageCount, consumers: consumerCount };
    }),
  );
  return Promise.all([...ofExchanges, ...ofQueues]);
}

async function standingOf(
  connection: ChannelModel,
  kind: Standing['kind'],
  name: string,
  compare: (channel: Channel) => Promise<Pick<Standing, 'messages' | 'consumers'> | void>,
): Promise<Standing> {
  try {
    const counts = await onChannel(connection, TIMEOUT_MS, 'the question', compare);
    return { kind, name, state: 'as-declared', ...counts };
  } catch (error) {
    const state = STATES.get(codeOf(error)) ?? 'unknown';
    return { kind, name, state, ...(state !== 'missing' && { reason: (error as Error).message }) };
  }
}

/**
 * Whether the user of a connection may declare, write to and read a queue of this name, and publish to the default exchange.
 * The queue is made for that alone, and goes with its channel.
 *
 * @param queue a name that nobody uses
 * @returns the first permission that is missing
 */
export async function inspectPermissions(
  connection: ChannelModel,
  queue: string,
): Promise<MissingPermission | undefined> {
  let asked: keyof Permissions = 'configure';
  try {
    await onChannel(connection, TIMEOUT_MS, 'the question', async (channel) => {
      await channel.assertQueue(queue, { exclusive: true, autoDelete: true });
      asked = 'write';
      channel.sendToQueue(queue, Buffer.alloc(0));
      await channel.waitForConfirms();
      asked = 'read';
      await channel.consume(queue, () => undefined, { noAck: true });
    });
    return undefined;
  } catch (error) {
    const missing = missingPermissionIn(error, asked);
    if (!missing) throw error;
    return missing;
  }
}

/**
 * Whether the broker takes a message of this size. It is published to a queue that does not exist, and so kept nowhere.
 *
 * @throws Error if the broker does not answer, or refuses it for another reason
 */
export async function takesMessageOf(connection: ChannelModel, bytes: number): Promise<boolean> {
  try {
    await onChannel(connection, LARGE_MESSAGE_TIMEOUT_MS, 'the question', (channel) => {
      channel.sendToQueue('a queue that does not exist', Buffer.alloc(bytes));
      return channel.waitForConfirms();
    });
    return true;
  } catch (error) {
    if (codeOf(error) === PRECONDITION_FAILED) return false;
    throw error;
  }
}
