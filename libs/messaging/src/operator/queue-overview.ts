import { LANES } from '#contracts';
import { type Broker, QueueLock } from '#rabbitmq';

import { lockOf, type PokerTopology } from '../topology/topology.ts';
import { KeptSummary } from './kept-message.ts';

/** More dead letters than this are counted, and not looked into: all of them pass through the worker. */
const MOST_READ = 500;
/** How often they are looked into if their number changes, and if it does not. */
const SHORTEST_REST_MS = 10_000;
const LONGEST_REST_MS = 60_000;
const WALK = { silenceMs: 10_000, maxBodyBytes: 0 };

/** What the broker knows of the whole service: the same from every worker. */
export type QueueOverview = NonNullable<Awaited<ReturnType<ReturnType<typeof queueOverviewOf>>>>;

export type KeptOverview = ReturnType<typeof keptOverview>;

/**
 * Looks at the queues of the service over the connection that consumes, which the broker serves under an alarm, too. Dead
 * letters are looked into by one worker at a time, and keep their places.
 *
 * @param parked what the last walk of the worker that forwards parked replies left in their queue
 * @returns looks once; `undefined` if the broker does not answer
 */
export function queueOverviewOf({ names, queues }: PokerTopology, broker: Broker, parked: () => KeptSummary) {
  const { deadLetters, undelivered } = names;
  const lock = new QueueLock(lockOf(names, 'deadLetters'), broker);
  let letters = new KeptSummary();
  let readAtMs = Number.NEGATIVE_INFINITY;
  let isReading = false;

  /** One queue as the broker counts it; no counts if there is no such queue, or the broker does not say. */
  const look = async (queue: string) => {
    const { messageCount: messages, consumerCount: consumers } = (await broker.countsOf(queue)) ?? {};
    const lane = LANES.find((each) => names.lanes[each] === queue);
    return { queue, ...(lane && { lane }), messages, consumers };
  };

  /** Reads the dead letters if it is time to. Never rejects: the next look tries again. */
  const readIfDue = async (depth: number | undefined): Promise<void> => {
    if (isReading) return;
    isReading = true;
    try {
      // The broker tells only connections that have published of an alarm, and the same alarm keeps callers from sending the
      // command that would have this worker publish. Under an alarm this is not answered, and no lock can be taken.
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
    const looks = await Promise.all(queues.map(({ name }) => look(name)));
    if (looks.every(({ messages }) => messages === undefined)) return undefined;
    const depthOf = (name: string): number | undefined => looks.find(({ queue }) => queue === name)?.messages;
    void readIfDue(depthOf(deadLetters));
    return {
      /** The lanes, the quarantine and the retry queues. */
      queues: looks.filter(({ queue }) => queue !== deadLetters && queue !== undelivered),
      deadLetters: keptOverview(deadLetters, depthOf(deadLetters), letters),
      parked: keptOverview(undelivered, depthOf(undelivered), parked()),
    };
  };
}

/** @returns `reasons` are undefined before the queue was looked into, and if too much lies there */
function keptOverview(queue: string, depth: number | undefined, { messages, reasons }: KeptSummary) {
  if (depth === undefined || depth > MOST_READ) return { queue, messages: depth, reasons: undefined };
  // A worker that reads the queue at this moment holds what lies there, and the broker does not count it.
  const isRead = messages > 0 || depth === 0;
  return { queue, messages: Math.max(depth, messages), reasons: isRead ? reasons : undefined };
}
