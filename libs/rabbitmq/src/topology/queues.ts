import type { QueueDeclaration } from './declare-topology.ts';

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

export interface Postponement {
  /** The delays of the retry queues, milliseconds, shortest first. */
  readonly delaysMs: readonly number[];
  /** Times that the message was postponed before. */
  readonly postponed: number;
  /** The shortest wait that makes sense, if it is known. */
  readonly retryAfterMs: number | undefined;
  /** Until the deadline. */
  readonly remainingMs: number;
}

/**
 * The delay that a postponed message waits: one further each time, never shorter than `retryAfterMs` while there is one
 * that long, after the last one the last again.
 *
 * @returns `undefined` if waiting would pass the deadline
 */
export function nextDelayMs(postponement: Postponement): number | undefined {
  const { delaysMs, postponed, retryAfterMs = 0, remainingMs } = postponement;
  const last = delaysMs.length - 1;
  const longEnough = delaysMs.findIndex((delayMs) => delayMs >= retryAfterMs);
  const index = Math.min(Math.max(postponed, longEnough === -1 ? last : longEnough), last);
  const delayMs = delaysMs[index];
  return delayMs !== undefined && Math.max(delayMs, retryAfterMs) < remainingMs ? delayMs : undefined;
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
