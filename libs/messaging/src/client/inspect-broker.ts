import { randomUUID } from 'node:crypto';

import type { ChannelModel } from 'amqplib';

import { busNames } from '#contracts';
import {
  BriefConnection,
  countsOf,
  inspectPermissions,
  inspectTopology,
  type MissingPermission,
  releaseOf,
  type Standing,
  takesMessageOf,
} from '#rabbitmq';
import type { TlsContext } from '#tls';

import { topologyOf } from '../topology/topology.ts';

/** The default of RabbitMQ 4; no command, reply or page needs as much. */
const LARGEST_MESSAGE_BYTES = 16 * 1024 * 1024;
const QUESTION_TIMEOUT_MS = 4_000;

const upToAMinute = Array.from({ length: 60 }, (_, index) => 1_000 * (index + 1));
/** A broker does not list its queues over AMQP: these are the delays that people choose, the default ones among them. */
const LIKELY_DELAYS_MS = new Set([...upToAMinute, ...upToAMinute.map((delayMs) => 60 * delayMs)]);

export interface BrokerInspectionOptions {
  /** The nodes of one cluster; URLs may hold passwords. */
  readonly urls: readonly string[];
  readonly prefix: string;
  readonly retryDelaysMs: readonly number[];
  readonly tls: TlsContext;
}

/** What a broker is, and what of this service it has. */
export interface BrokerInspection {
  readonly version: string;
  /** What its administrator should set, if that cannot be seen from here. */
  readonly advice: string | undefined;
  /** The first that is missing; nothing else was asked then. */
  readonly missingPermission?: MissingPermission;
  readonly standings: readonly Standing[];
  /** Retry queues of delays that are no longer set. */
  readonly unusedRetryQueues: readonly { readonly name: string; readonly messages: number }[];
  /** Whether it takes messages of more than 16 MiB. */
  readonly takesHugeMessages: boolean;
}

/**
 * Looks at a broker as a worker with these settings would find it. It changes nothing: a queue that is missing stays so.
 *
 * @throws BrokerError if no broker can be reached, it refuses the credentials, or is under an alarm
 */
export async function inspectBroker(options: BrokerInspectionOptions): Promise<BrokerInspection> {
  const { urls, prefix, retryDelaysMs, tls } = options;
  await using brief = await BriefConnection.open(urls, { name: 'poker-bridge client', tls });
  const { model: connection } = brief;
  try {
    const { version, advice } = releaseOf(connection);
    const about = { version, advice };
    const missingPermission = await inspectPermissions(connection, `${prefix}.doctor.${randomUUID()}`);
    if (missingPermission) {
      return { ...about, missingPermission, standings: [], unusedRetryQueues: [], takesHugeMessages: false };
    }
    return {
      ...about,
      standings: await inspectTopology(connection, topologyOf(prefix, retryDelaysMs)),
      unusedRetryQueues: await unusedRetryQueues(connection, prefix, retryDelaysMs),
      takesHugeMessages: await takesMessageOf(connection, LARGEST_MESSAGE_BYTES + 1),
    };
  } catch (error) {
    throw brief.faultOf(error);
  }
}

async function unusedRetryQueues(
  connection: ChannelModel,
  prefix: string,
  retryDelaysMs: readonly number[],
): Promise<BrokerInspection['unusedRetryQueues']> {
  const unset = [...LIKELY_DELAYS_MS].filter((delayMs) => !retryDelaysMs.includes(delayMs));
  const found: { readonly name: string; readonly messages: number }[] = [];
  for (const delayMs of unset) {
    const name = busNames(prefix).retry(delayMs);
    const counts = await countsOf(connection, name, QUESTION_TIMEOUT_MS);
    if (counts) found.push({ name, messages: counts.messageCount });
  }
  return found;
}
