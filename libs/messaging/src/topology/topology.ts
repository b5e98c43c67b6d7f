import { type BusNames, busNames, COMMAND_TYPES, type Lane, LANE_OF_COMMAND } from '#contracts';
import {
  type Declaration,
  keepingQueue,
  lockQueue,
  type Permissions,
  retryQueue,
  type Topology,
  workQueue,
} from '#rabbitmq';

/** The queues that keep messages for people: dead letters, and parked replies. */
export type KeptQueueName = 'deadLetters' | 'undelivered';

export interface PokerTopology extends Topology {
  readonly names: BusNames;
}

/**
 * The topology under a prefix. Its arguments are constants, so that no setting can make two workers disagree.
 * Source: bus contract, section 1.
 *
 * @param retryDelaysMs of the reports' delayed retry: one queue each
 */
export function topologyOf(prefix: string, retryDelaysMs: readonly number[]): PokerTopology {
  const names = busNames(prefix);
  const { lanes, deadLetters } = names;
  const commandsOf = (lane: Lane) =>
    COMMAND_TYPES.filter((type) => LANE_OF_COMMAND[type] === lane).map((type) => ({
      exchange: names.commands,
      routingKey: type,
    }));
  const unknownCommands = { exchange: names.unknownCommands, routingKey: '' };
  return {
    names,
    exchanges: [
      { name: names.unknownCommands, type: 'fanout', arguments: {} },
      { name: names.commands, type: 'direct', arguments: { 'alternate-exchange': names.unknownCommands } },
      { name: names.events, type: 'topic', arguments: {} },
    ],
    queues: [
      keepingQueue(deadLetters, 14),
      keepingQueue(names.undelivered, 1),
      workQueue(lanes.interactive, deadLetters, [unknownCommands, ...commandsOf('interactive')]),
      workQueue(lanes.reports, deadLetters, commandsOf('reports')),
      workQueue(names.quarantine, deadLetters),
      ...retryDelaysMs.map((delayMs) => retryQueue(names.retry(delayMs), delayMs, lanes.reports)),
    ],
  };
}

/**
 * The least that a worker needs. It answers by the default exchange, from which a reply gets to any queue.
 *
 * @param prefix of letters, digits and the like: it is no pattern
 */
export function workerPermissions(prefix: string): Permissions {
  const own = busNames(prefix).reserved.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return { configure: `^${own}`, write: String.raw`^(${own}|amq\.default$)`, read: `^${own}` };
}

/**
 * Exclusive to the process that reads or settles the messages of a queue that keeps them for people, for as long as that takes:
 * two at once would mix up their order. Not part of what is declared at start.
 */
export function lockOf(names: BusNames, queue: KeptQueueName): Declaration {
  return lockQueue(`${names[queue]}.${queue === 'deadLetters' ? 'reader' : 'forwarder'}`);
}
