import { randomUUID } from 'node:crypto';

import type { ChannelModel } from 'amqplib';

import { busNames } from '#contracts';
import type { TlsContext } from '#tls';
import {
  adviceFor,
  BriefConnection,
  inspectPermissions,
  inspectTopology,
  depthOf,
  type MissingPermission,
  releaseOf,
  type Standing,
  takesMessageOf,
} from '#rabbitmq';

import { topologyOf } from '../topology/topology.ts';

/** The default of RabbitMQ 4; no command, reply or page needs as much. */
const LARGEST_MESSAGE_BYTES = 16 * 1024 * 1024;
const QUESTION_TIMEOUT_MS = 4_000;

const seconds = (count: number): number => count * 1_000;
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
/** A broker does not list its queues over AMQP: these are the delays that people choose, the default ones among them. */
const LIKELY_DELAYS_MS = [...upTo(60).map(seconds), ...upTo(60).map((minutes) => seconds(60 * minutes))];

export interface BrokerInspectionOptions {
  /** Of the nodes of one cluster; they may hold passwords. */
  readonly urls: readonly string[];
  readonly prefix: string;
  readonly retryDelaysMs: readonly number[];
  readonly tls: TlsContext;
}

/** A queue of a delay that is no longer set. */
export interface UnusedRetryQueue {
  readonly name: string;
  readonly delayMs: number;
  readonly messages: number;
}

/** What a broker is, and what stands there of this service. */
export interface BrokerInspection {
  /** Of RabbitMQ. */
  readonly version: string;
  /** What its administrator should set, if that cannot be seen from here. */
  readonly advice: string | undefined;
  /** The first that is missing; nothing else was asked then. */
  readonly missingPermission?: MissingPermission;
  readonly standings: readonly Standing[];
  readonly unusedRetryQueues: readonly UnusedRetryQueue[];
  /** Whether it takes messages of more than 16 MiB. */
  readonly takesHugeMessages: boolean;
}

/**
 * Looks at a broker as a worker with these settings would find it. It changes nothing: a queue that is missing stays so.
 *
 * @throws BrokerError if no broker can be reached, it refuses the credentials, or is under an alarm
 */
export async function inspectBroker({
  urls,
  prefix,
  retryDelaysMs,
  tls,
}: BrokerInspectionOptions): Promise<BrokerInspection> {
  await using brief = await BriefConnection.open(urls, { name: 'poker-bridge client', tls });
  const { model: connection } = brief;
  try {
    const release = releaseOf(connection);
    const about = { version: release.version, advice: adviceFor(release) };
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
): Promise<UnusedRetryQueue[]> {
  const names = busNames(prefix);
  const others = new Set(LIKELY_DELAYS_MS.filter((delayMs) => !retryDelaysMs.includes(delayMs)));
  const asked = [...others].map(async (delayMs) => {
    const name = names.retry(delayMs);
    const messages = await depthOf(connection, name, QUESTION_TIMEOUT_MS);
    return messages === undefined ? [] : [{ name, delayMs, messages }];
  });
  return (await Promise.all(asked)).flat().toSorted((one, other) => one.delayMs - other.delayMs);
}
