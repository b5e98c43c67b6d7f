import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';

import type { BusNames } from '#contracts';

import type { HeaderSeal } from '../envelope/own-headers.ts';
import { closeWithin } from '../rabbitmq/connection/close-within.ts';
import { depthOf } from '../rabbitmq/connection/depth-of.ts';
import { within } from '../rabbitmq/connection/within.ts';
import { walkQueue } from '../rabbitmq/consuming/walk-queue.ts';
import type { MessagingObserver } from '../observer/messaging-observer.ts';
import type { ConfirmedPublisher } from '../rabbitmq/publishing/confirmed-publisher.ts';
import { forwarderLockOf } from '../topology/topology.ts';
import { ForwarderLock } from './forwarder-lock.ts';
import { forwardedReply } from './forwarded-reply.ts';

const INTERVAL_MS = 3_000;
/** A long walk is followed by a rest that is longer, so that the workers are there for commands. */
const REST_PER_WALK = 9;
/** A walk past a few replies that had to wait, for a busy broker, was no work, and is followed by no long rest. */
const LONGEST_REST_PER_REPLY_MS = 20;
/** At most 500 replies a second. */
const SHORTEST_FORWARD_MS = 2;
const CLOSE_TIMEOUT_MS = 2_000;
const STOP_TIMEOUT_MS = 2_000;

export interface ParkedReplyForwarderOptions {
  readonly names: BusNames;
  readonly publisher: ConfirmedPublisher;
  readonly seal: HeaderSeal;
  readonly observer: MessagingObserver;
}

/**
 * Sends parked replies on to their queues once these exist and take messages, in order, confirmed and under the ids that
 * they had. One worker does, for all; every reply is tried once in a walk. Source: bus contract, section 5.
 */
export class ParkedReplyForwarder {
  readonly #options: ParkedReplyForwarderOptions;
  readonly #lock: ForwarderLock;
  #timer: NodeJS.Timeout | undefined;
  #connection: ChannelModel | undefined;
  #walk: Promise<void> = Promise.resolve();
  /** Replies that the last walk came past. */
  #shown = 0;

  constructor(options: ParkedReplyForwarderOptions) {
    this.#options = options;
    this.#lock = new ForwarderLock(forwarderLockOf(options.names), options.publisher);
  }

  /** Walks over a connection until the next one, or until `stop`; returns at once. */
  attach(connection: ChannelModel): void {
    this.#connection = connection;
    this.#next(connection, INTERVAL_MS);
  }

  /** Ends after the reply that is under way. */
  async stop(): Promise<void> {
    this.#connection = undefined;
    clearTimeout(this.#timer);
    await within(STOP_TIMEOUT_MS, 'the last parked reply', this.#walk).catch(() => undefined);
  }

  #next(connection: ChannelModel, afterMs: number): void {
    // The end of a walk over a connection that has gone must not stop the timer of the next one.
    if (this.#connection !== connection) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#walk = this.#walkAndRest(connection);
    }, afterMs).unref();
  }

  async #walkAndRest(connection: ChannelModel): Promise<void> {
    const startedMs = performance.now();
    this.#shown = 0;
    // What fails is tried again at the next walk, or over the next connection.
    await this.#walkOver(connection).catch(() => undefined);
    const longestRestMs = LONGEST_REST_PER_REPLY_MS * this.#shown;
    const restMs = Math.min(REST_PER_WALK * (performance.now() - startedMs), longestRestMs);
    this.#next(connection, Math.max(INTERVAL_MS, restMs));
  }

  async #walkOver(connection: ChannelModel): Promise<void> {
    const { names } = this.#options;
    if ((await depthOf(connection, names.undelivered)) === 0) return;
    if (!(await this.#lock.isHeldBy(connection))) return;
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    try {
      await this.#forwardAll(connection, channel);
    } finally {
      await closeWithin(CLOSE_TIMEOUT_MS, channel);
    }
  }

  async #forwardAll(connection: ChannelModel, channel: Channel): Promise<void> {
    const { names, observer } = this.#options;
    /** Queues that took nothing in this walk; the replies behind the first one wait with it. */
    const closed = new Set<string>();
    const forwarded = new Map<string, number>();
    try {
      for await (const parked of walkQueue(channel, names.undelivered)) {
        this.#shown += 1;
        // Also one that is told to stop goes to the end, so that all of them are back in their places.
        const queue = this.#connection === connection && (await this.#forward(channel, parked, closed));
        if (queue) forwarded.set(queue, (forwarded.get(queue) ?? 0) + 1);
      }
    } finally {
      for (const [queue, replies] of forwarded) observer.repliesForwarded(queue, replies);
    }
  }

  /** @returns the queue that took the reply */
  async #forward(channel: Channel, parked: ConsumeMessage, closed: Set<string>): Promise<string | undefined> {
    const { names, publisher, seal } = this.#options;
    const reply = forwardedReply(parked, names.reserved, seal);
    if (!reply || closed.has(reply.routingKey)) return undefined;
    const pause = new Promise((resolve) => setTimeout(resolve, SHORTEST_FORWARD_MS));
    const isWanted = (): boolean => this.#connection !== undefined;
    // One that cannot be written was not parked by a worker; it harms no other.
    const published = publisher.publish(reply, isWanted).catch(() => undefined);
    const [outcome] = await Promise.all([published, pause]);
    if (outcome === 'confirmed') {
      channel.ack(parked);
      return reply.routingKey;
    }
    if (outcome) closed.add(reply.routingKey);
    return undefined;
  }
}
