import type { QueueDeclaration } from './topology.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const GIB = 1024 ** 3;

/** A service decides long before; this dead-letters what a broken one would take again and again. */
const DELIVERY_LIMIT = 50;
/** As good as none: looking into a queue must neither drop its messages (RabbitMQ 4) nor move them to its tail. */
const NO_DELIVERY_LIMIT = 1_000_000_000;

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
