import type { ChannelModel } from 'amqplib';

import { onChannel } from '../connection/on-channel.ts';
import type { Topology } from '../topology/topology.ts';

const NOT_FOUND = 404;
const PRECONDITION_FAILED = 406;
const TIMEOUT_MS = 4_000;

/** What stands on the broker under the name of one exchange or queue of the topology. */
export interface Standing {
  readonly kind: 'exchange' | 'queue';
  readonly name: string;
  readonly state: 'as-declared' | 'different' | 'missing' | 'unknown';
  /** The broker's, or what else kept it from answering; absent if it stands as declared, or is missing. */
  readonly reason?: string;
  /** Of a queue as declared: messages that wait, and consumers. */
  readonly messages?: number;
  readonly consumers?: number;
}

interface Question {
  readonly kind: Standing['kind'];
  readonly name: string;
  /** Passive: it creates nothing. */
  readonly look: (connection: ChannelModel) => Promise<Pick<Standing, 'messages' | 'consumers'>>;
  /** Declares what stands already, which changes nothing and fails if its properties differ. */
  readonly compare: (connection: ChannelModel) => Promise<unknown>;
}

/** Compares all of a topology with what stands on the broker, and creates nothing. */
export async function inspectTopology(connection: ChannelModel, topology: Topology): Promise<Standing[]> {
  const questions = [...exchangeQuestions(topology), ...queueQuestions(topology)];
  return Promise.all(questions.map((question) => answer(connection, question)));
}

async function answer(connection: ChannelModel, { kind, name, look, compare }: Question): Promise<Standing> {
  let counts: Pick<Standing, 'messages' | 'consumers'>;
  try {
    counts = await look(connection);
  } catch (error) {
    if (codeOf(error) === NOT_FOUND) return { kind, name, state: 'missing' };
    return { kind, name, state: 'unknown', reason: (error as Error).message };
  }
  try {
    await compare(connection);
    return { kind, name, state: 'as-declared', ...counts };
  } catch (error) {
    const state = codeOf(error) === PRECONDITION_FAILED ? 'different' : 'unknown';
    return { kind, name, state, reason: (error as Error).message };
  }
}

function exchangeQuestions({ exchanges }: Topology): Question[] {
  return exchanges.map(({ name, type, arguments: args }) => ({
    kind: 'exchange',
    name,
    look: async (connection) => {
      await asking(connection, (channel) => channel.checkExchange(name));
      return {};
    },
    compare: (connection) =>
      asking(connection, (channel) => channel.assertExchange(name, type, { durable: true, arguments: args })),
  }));
}

function queueQuestions({ queues }: Topology): Question[] {
  return queues.map(({ name, arguments: args }) => ({
    kind: 'queue',
    name,
    look: (connection) => lookAtQueue(connection, name),
    compare: (connection) =>
      asking(connection, (channel) => channel.assertQueue(name, { durable: true, arguments: args })),
  }));
}

async function lookAtQueue(
  connection: ChannelModel,
  name: string,
): Promise<{ messages: number; consumers: number }> {
  const { messageCount, consumerCount } = await asking(connection, (channel) => channel.checkQueue(name));
  return { messages: messageCount, consumers: consumerCount };
}

function asking<T>(connection: ChannelModel, ask: Parameters<typeof onChannel<T>>[3]): Promise<T> {
  return onChannel(connection, TIMEOUT_MS, 'the question', ask);
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}
