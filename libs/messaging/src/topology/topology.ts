import { type BusNames, busNames, COMMAND_TYPES, LANE_OF_COMMAND } from '#contracts';
import { type Declaration, deadLetteringTo, type Permissions, quorumQueue, type Topology } from '#rabbitmq';

const DAY_MS = 24 * 60 * 60 * 1000;
const GIB = 1024 ** 3;
/** Workers act long before. This limit dead-letters a message that a faulty worker would requeue forever. */
const DELIVERY_LIMIT = 50;
/**
 * Practically no limit: reading a queue must neither drop its messages (RabbitMQ 4) nor move them to its
 * tail.
 */
const NO_DELIVERY_LIMIT = 1_000_000_000;

/** The queues for operators: dead letters, and parked replies. */
export type KeptQueueName = 'deadLetters' | 'undelivered';

export type PokerTopology = Topology & { readonly names: BusNames };

/**
 * Returns the topology under a prefix, with one queue for each retry delay of a report. Its arguments are
 * constants, so that no setting can make two workers disagree. Source: bus contract, section 1.
 */
export function topologyOf(prefix: string, retryDelaysMs: readonly number[]): PokerTopology {
  const names = busNames(prefix);
  const { lanes, deadLetters } = names;
  const work = { 'x-delivery-limit': DELIVERY_LIMIT, ...deadLetteringTo(deadLetters) };
  const keptFor = (ttlMs: number) => ({ 'x-delivery-limit': NO_DELIVERY_LIMIT, 'x-message-ttl': ttlMs });
  return {
    names,
    exchanges: [
      { name: names.unknownCommands, type: 'fanout', arguments: {} },
      { name: names.commands, type: 'direct', arguments: { 'alternate-exchange': names.unknownCommands } },
      { name: names.events, type: 'topic', arguments: {} },
    ],
    queues: [
      quorumQueue(deadLetters, { ...keptFor(14 * DAY_MS), 'x-max-length-bytes': GIB }),
      quorumQueue(names.undelivered, { ...keptFor(DAY_MS), 'x-max-length-bytes': GIB }),
      quorumQueue(lanes.interactive, work),
      quorumQueue(lanes.reports, work),
      quorumQueue(names.quarantine, work),
      // A retry queue contains messages with the same delay, so that none blocks another one with a shorter
      // wait. It does not expire.
      ...retryDelaysMs.map((delayMs) =>
        quorumQueue(names.retry(delayMs), { ...keptFor(delayMs), ...deadLetteringTo(lanes.reports) }),
      ),
    ],
    bindings: [
      { queue: lanes.interactive, exchange: names.unknownCommands, routingKey: '' },
      ...COMMAND_TYPES.map((type) => ({
        queue: lanes[LANE_OF_COMMAND[type]],
        exchange: names.commands,
        routingKey: type,
      })),
    ],
  };
}

/**
 * Returns the permissions that a worker needs. It replies through the default exchange, which reaches any
 * queue.
 */
export function workerPermissions(prefix: string): Permissions {
  const own = busNames(prefix).reserved.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return { configure: `^${own}`, write: String.raw`^(${own}|amq\.default$)`, read: `^${own}` };
}

/**
 * Returns the lock of a queue for operators: an empty queue, exclusive to the process that reads or settles
 * the messages, because two at once would mix up their order. It is not declared at startup.
 */
export function lockOf(names: BusNames, queue: KeptQueueName): Declaration {
  const name = `${names[queue]}.${queue === 'deadLetters' ? 'reader' : 'forwarder'}`;
  return { name, arguments: { 'x-queue-type': 'classic', 'x-max-length': 0 } };
}

/**
 * Returns the probe queue, which confirms messages and drops them. A worker uses it to find out whether its
 * node is cut off from the majority.
 */
export function probeOf(names: BusNames): Declaration {
  return quorumQueue(`${names.reserved}probe`, { 'x-max-length': 0 });
}
