import type { ChannelModel } from 'amqplib';

import { type BusNames, type Lane, LANES } from '#contracts';
import { type ConfirmedPublisher, countsOf, QueueLock, QueueWalk } from '#rabbitmq';

import { type PokerTopology, readerLockOf } from '../topology/topology.ts';
import { type KeptReason, KeptSummary } from './kept-summary.ts';

/** More dead letters than this are counted, and not looked into: all of them pass through the worker. */
const MOST_READ = 500;
/** How often they are looked into if their number changes, and if it does not. */
const SHORTEST_REST_MS = 10_000;
const LONGEST_REST_MS = 60_000;
/** Bodies are not looked at. */
const WALK = { silenceMs: 10_000, maxBodyBytes: 0 };

/** One queue as the broker counts it. */
export interface QueueLook {
  readonly queue: string;
  readonly lane?: Lane;
  /** Those that wait; `undefined` if there is no such queue, or the broker does not tell. */
  readonly messages: number | undefined;
  readonly consumers: number | undefined;
}

/** A queue that keeps messages for people. */
export interface KeptLook extends Pick<QueueLook, 'queue' | 'messages'> {
  /** What lies there, the most frequent reason first; `undefined` before it was looked into, and if it is too much. */
  readonly reasons: readonly KeptReason[] | undefined;
}

/** What the broker knows of the whole service: the same from every worker. */
export interface BusLook {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** The lanes, the quarantine and the retry queues. */
  readonly queues: readonly QueueLook[];
  readonly deadLetters: KeptLook;
  readonly parked: KeptLook;
}

/** The last look into a queue. */
interface Reading {
  readonly atMs: number;
  readonly summary: KeptSummary;
}

export interface BusLookerOptions {
  readonly topology: PokerTopology;
  readonly publisher: ConfirmedPublisher;
  /** Whether the broker takes messages: under an alarm, no lock can be taken. */
  readonly isBlocked: () => boolean;
  /** What the last walk of the worker that forwards parked replies left in their queue. */
  readonly parked: () => KeptSummary | undefined;
}

/**
 * Looks at the queues of the service over the connection that consumes, which the broker serves under an alarm, too. Dead
 * letters are looked into by one worker at a time, and keep their places.
 */
export class BusLooker {
  readonly #options: BusLookerOptions;
  readonly #lock: QueueLock;
  #connection: ChannelModel | undefined;
  #letters: Reading | undefined;
  #isReading = false;
  #isAsking = false;

  constructor(options: BusLookerOptions) {
    this.#options = options;
    this.#lock = new QueueLock(readerLockOf(options.topology.names), options.publisher);
  }

  attach(connection: ChannelModel): void {
    this.#connection = connection;
  }

  /** @returns undefined if the broker does not answer */
  async look(): Promise<BusLook | undefined> {
    const { names, queues } = this.#options.topology;
    this.#askWhetherBlocked();
    const looks = await Promise.all(queues.map(({ name }) => this.#countsOf(name, names)));
    if (looks.every(({ messages }) => messages === undefined)) return undefined;
    this.#readIfDue(looks.find(({ queue }) => queue === names.deadLetters)?.messages);
    const isKept = ({ queue }: QueueLook): boolean =>
      queue === names.deadLetters || queue === names.undelivered;
    return {
      atMs: Date.now(),
      queues: looks.filter((look) => !isKept(look)),
      deadLetters: keptLook(names.deadLetters, looks, this.#letters?.summary),
      parked: keptLook(names.undelivered, looks, this.#options.parked()),
    };
  }

  /**
   * Publishes something that is kept nowhere. The broker tells only connections that have published of an alarm, and the
   * same alarm keeps callers from sending the command that would have this worker publish.
   */
  #askWhetherBlocked(): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const end = (): void => void (this.#isAsking = false);
    this.#lock.isTaken().then(end, end);
  }

  async #countsOf(queue: string, { lanes }: BusNames): Promise<QueueLook> {
    const connection = this.#connection;
    const ask = async () => connection && countsOf(connection, queue);
    const counts = await ask().catch(() => undefined);
    const lane = LANES.find((each) => lanes[each] === queue);
    return {
      queue,
      ...(lane && { lane }),
      messages: counts?.messageCount,
      consumers: counts?.consumerCount,
    };
  }

  /** Begins to look into the dead letters, and does not wait for it. */
  #readIfDue(depth: number | undefined): void {
    const connection = this.#connection;
    if (!connection || depth === undefined || depth > MOST_READ) return;
    const { atMs, summary } = this.#letters ?? { atMs: Number.NEGATIVE_INFINITY };
    const restMs = depth === (summary?.messages ?? 0) ? LONGEST_REST_MS : SHORTEST_REST_MS;
    if (this.#isReading || performance.now() - atMs < restMs || this.#options.isBlocked()) return;
    this.#isReading = true;
    const end = (): void => void (this.#isReading = false);
    this.#read(connection).then(end, end);
  }

  async #read(connection: ChannelModel): Promise<void> {
    if (!(await this.#lock.isHeldBy(connection))) return;
    try {
      const summary = await summaryOf(connection, this.#options.topology.names.deadLetters);
      this.#letters = { atMs: performance.now(), summary };
    } finally {
      await this.#lock.release(connection);
    }
  }
}

function keptLook(name: string, looks: readonly QueueLook[], summary: KeptSummary | undefined): KeptLook {
  const messages = looks.find(({ queue }) => queue === name)?.messages;
  if (messages === undefined || messages > MOST_READ) return { queue: name, messages, reasons: undefined };
  const held = summary?.messages ?? 0;
  // Whoever looks into the queue at this moment holds what lies there, and the broker does not count it.
  const reasons = held === 0 && messages > 0 ? undefined : summary?.reasons;
  return { queue: name, messages: Math.max(messages, held), reasons };
}

async function summaryOf(connection: ChannelModel, queue: string): Promise<KeptSummary> {
  await using walk = await QueueWalk.open(connection, queue, WALK);
  const summary = new KeptSummary();
  for await (const { message } of walk.messages()) summary.add(message);
  return summary;
}
