import { type BusNames, busNames, COMMAND_TYPES, LANE_OF_COMMAND } from '#contracts';
import { type Declaration, deadLetteringTo, type Permissions, quorumQueue, type Topology } from '#rabbitmq';

const DAY_MS = 24 * 60 * 60 * 1000;
const GIB = 1024 ** 3;
/** Workers decide long before; this dead-letters what a broken one would take again and again. */
const DELIVERY_LIMIT = 50;
/** Practically no limit: looking into a queue must neither drop its messages (RabbitMQ 4) nor move them to its tail. */
const NO_DELIVERY_LIMIT = 1_000_000_000;

/** The queues that keep messages for people: dead letters, and parked replies. */
export type KeptQueueName = 'deadLetters' | 'undelivered';

export type PokerTopology = Topology & { readonly names: BusNames };

/**
 * The topology under a prefix, with one queue for each delay of a report's retry. Its arguments are constants, so that no setting
 * can make two workers disagree. Source: bus contract, section 1.
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
      // A retry queue holds what waits for one delay, so that no message blocks one with a shorter wait. It does not expire.
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

/** The least that a worker needs. It answers by the default exchange, from which a reply gets to any queue. */
export function workerPermissions(prefix: string): Permissions {
  const own = busNames(prefix).reserved.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return { configure: `^${own}`, write: String.raw`^(${own}|amq\.default$)`, read: `^${own}` };
}

/**
 * A queue that holds nothing, exclusive to the process that reads or settles the messages of a queue that keeps them for people,
 * for as long as that takes: two at once would mix up their order. Not part of what is declared at start.
 */
export function lockOf(names: BusNames, queue: KeptQueueName): Declaration {
  const name = `${names[queue]}.${queue === 'deadLetters' ? 'reader' : 'forwarder'}`;
  return { name, arguments: { 'x-queue-type': 'classic', 'x-max-length': 0 } };
}

/** A queue that confirms what the worker publishes to it, and drops it: of use to find out whether it is cut off from the majority. */
export function probeOf(names: BusNames): Declaration {
  return quorumQueue(`${names.reserved}probe`, { 'x-max-length': 0 });
}
