import { LANES } from '#contracts';
import { type Broker, QueueLock } from '#rabbitmq';

import { lockOf, type PokerTopology } from '../topology/topology.ts';
import { KeptSummary } from './kept-message.ts';

/** Beyond this number, dead letters are counted but not read, because all of them pass through the worker. */
const MOST_READ = 500;
/** Intervals between two reads of the dead letters, if their number has changed and if it has not. */
const SHORTEST_REST_MS = 10_000;
const LONGEST_REST_MS = 60_000;
const WALK = { silenceMs: 10_000, maxBodyBytes: 0 };
const NO_COUNTS = { messageCount: undefined, consumerCount: undefined };

/** The state of all queues of the service, which is the same from every worker. */
export type QueueOverview = NonNullable<Awaited<ReturnType<ReturnType<typeof queueOverviewOf>>>>;

export type KeptOverview = ReturnType<typeof keptOverview>;

/**
 * Samples the queues of the service over the consuming connection, which the broker serves even under an
 * alarm. One worker at a time reads the dead letters, which keep their places.
 *
 * @param parked returns what the last walk of the forwarding worker left in the queue of parked replies
 * @returns a function that samples once; it resolves to undefined if the broker does not answer
 */
export function queueOverviewOf({ names, queues }: PokerTopology, broker: Broker, parked: () => KeptSummary) {
  const { deadLetters, undelivered } = names;
  const lock = new QueueLock(lockOf(names, 'deadLetters'), broker);
  let letters = new KeptSummary();
  let readAtMs = Number.NEGATIVE_INFINITY;
  let isReading = false;

  /** Samples one queue. There are no counts if the queue does not exist or the broker does not answer. */
  const count = async (queue: string) => {
    const found = await broker.standingOf(queue);
    const { messageCount: messages, consumerCount: consumers } =
      typeof found === 'object' ? found : NO_COUNTS;
    return { queue, lane: LANES.find((each) => names.lanes[each] === queue), messages, consumers };
  };

  /** Reads the dead letters if it is time to. Never rejects: the next sample retries. */
  const readIfDue = async (depth: number | undefined): Promise<void> => {
    if (isReading) return;
    isReading = true;
    try {
      // The broker reports an alarm only to connections that have published, and the same alarm keeps callers
      // from sending the commands that would make this worker publish. Under an alarm this call is not
      // answered, and no lock can be taken.
      await lock.isTaken();
      const { consuming } = broker;
      if (!consuming || depth === undefined || depth > MOST_READ) return;
      const restMs = depth === letters.messages ? LONGEST_REST_MS : SHORTEST_REST_MS;
      if (performance.now() - readAtMs < restMs) return;
      const read = new KeptSummary();
      await lock.walk(consuming, deadLetters, WALK, async (messages) => {
        for await (const { message } of messages) read.add(message);
        letters = read;
        readAtMs = performance.now();
      });
    } catch {
      // The connection was lost.
    } finally {
      isReading = false;
    }
  };

  return async () => {
    const counts = await Promise.all(queues.map(({ name }) => count(name)));
    if (counts.every(({ messages }) => messages === undefined)) return undefined;
    const depthOf = (name: string): number | undefined =>
      counts.find(({ queue }) => queue === name)?.messages;
    void readIfDue(depthOf(deadLetters));
    return {
      /** The lanes, the quarantine and the retry queues. */
      queues: counts.filter(({ queue }) => queue !== deadLetters && queue !== undelivered),
      deadLetters: keptOverview(deadLetters, depthOf(deadLetters), letters),
      parked: keptOverview(undelivered, depthOf(undelivered), parked()),
    };
  };
}

/**
 * Returns the overview of one queue. `reasons` is undefined before the queue was read, and while it contains
 * too many messages.
 */
function keptOverview(queue: string, depth: number | undefined, { messages, reasons }: KeptSummary) {
  if (depth === undefined || depth > MOST_READ) return { queue, messages: depth, reasons: undefined };
  // A worker that is reading the queue holds its messages, and the broker does not count them.
  const isRead = messages > 0 || depth === 0;
  return { queue, messages: Math.max(depth, messages), reasons: isRead ? reasons : undefined };
}
