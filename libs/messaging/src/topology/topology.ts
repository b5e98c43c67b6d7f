import { busNames, COMMAND_TYPES, LANE_OF_COMMAND, type BusNames } from '#contracts';

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

/** Everything that a worker declares. All of it is durable. Source: bus contract, section 1. */
export interface Topology {
  readonly names: BusNames;
  readonly exchanges: readonly ExchangeDeclaration[];
  readonly queues: readonly QueueDeclaration[];
  readonly bindings: readonly Binding[];
}

const DAY_MS = 24 * 60 * 60 * 1000;
const GIB = 1024 ** 3;

/** The worker decides long before; this dead-letters what a broken worker would take for ever. */
const DELIVERY_LIMIT = 50;
/** As good as none: looking into a queue must neither drop its messages (RabbitMQ 4) nor move them to its tail. */
const NO_DELIVERY_LIMIT = 1_000_000_000;

/**
 * The topology under a prefix. Its arguments are constants, so that no setting can make two workers disagree.
 *
 * @param retryDelaysMs of the reports' delayed retry: one queue each
 */
export function topologyOf(prefix: string, retryDelaysMs: readonly number[]): Topology {
  const names = busNames(prefix);
  const netted = (name: string): QueueDeclaration =>
    quorum(name, {
      'x-delivery-limit': DELIVERY_LIMIT,
      ...deadLetteringTo(names.deadLetters),
    });
  const kept = (name: string, days: number): QueueDeclaration =>
    quorum(name, {
      'x-delivery-limit': NO_DELIVERY_LIMIT,
      'x-message-ttl': days * DAY_MS,
      'x-max-length-bytes': GIB,
    });
  return {
    names,
    exchanges: [
      { name: names.unknownCommands, type: 'fanout', arguments: {} },
      { name: names.commands, type: 'direct', arguments: { 'alternate-exchange': names.unknownCommands } },
      { name: names.events, type: 'topic', arguments: {} },
    ],
    queues: [
      kept(names.deadLetters, 14),
      kept(names.undelivered, 1),
      netted(names.lanes.interactive),
      netted(names.lanes.reports),
      netted(names.quarantine),
      ...retryDelaysMs.map((delayMs) => retryQueue(names, delayMs)),
    ],
    bindings: [
      { queue: names.lanes.interactive, exchange: names.unknownCommands, routingKey: '' },
      ...COMMAND_TYPES.map((type) => ({
        queue: names.lanes[LANE_OF_COMMAND[type]],
        exchange: names.commands,
        routingKey: type,
      })),
    ],
  };
}

/** Exclusive to the worker that forwards parked replies, for as long as it does; holds nothing. Not part of what is declared at start. */
export function forwarderLockOf({ undelivered }: BusNames): QueueDeclaration {
  return { name: `${undelivered}.forwarder`, arguments: { 'x-queue-type': 'classic', 'x-max-length': 0 } };
}

/** Holds what waits for one delay, then dead-letters it back to the reports. It does not expire, and no delay of others blocks it. */
function retryQueue(names: BusNames, delayMs: number): QueueDeclaration {
  return quorum(names.retry(delayMs), {
    'x-delivery-limit': NO_DELIVERY_LIMIT,
    'x-message-ttl': delayMs,
    ...deadLetteringTo(names.lanes.reports),
  });
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
