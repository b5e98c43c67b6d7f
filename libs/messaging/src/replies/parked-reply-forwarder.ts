import type { ChannelModel } from 'amqplib';

import type { BusNames } from '#contracts';
import { type ConfirmedPublisher, depthOf, QueueLock, QueueWalk, within } from '#rabbitmq';

import type { HeaderSeal } from '../envelope/own-headers.ts';
import { KeptSummary } from '../kept/kept-summary.ts';
import type { MessagingObserver } from '../observer/messaging-observer.ts';
import { forwarderLockOf } from '../topology/topology.ts';
import { forwardedReply } from './forwarded-reply.ts';
import { ForwardingRound } from './forwarding-round.ts';

const INTERVAL_MS = 3_000;
/** After a walk that was cut short; long enough for somebody else to take the lock. */
const SHORTEST_REST_MS = 500;
/** A long walk is followed by a rest that is longer, so that the workers are there for commands. */
const REST_PER_WALK = 9;
/**
 * The cost of a walk depends on how many replies it reads, not on how long it takes: one that only waited for a busy
 * broker was no work, and must not delay replies whose queue is back by ten seconds.
 */
const LONGEST_REST_PER_REPLY_MS = 0.5;
const STOP_TIMEOUT_MS = 2_000;
const WALK = {
  // One message that keeps the broker busy must not keep those behind it here.
  silenceMs: 60_000,
  // No final reply comes near it; what is cut has no seal that fits, and stays.
  maxBodyBytes: 1024 * 1024,
};

/** Cut short: it did not come past all replies, or has left some that their queues might have taken. */
type WalkEnd = 'done' | 'cut short' | 'failed';

export interface ParkedReplyForwarderOptions {
  readonly names: BusNames;
  readonly publisher: ConfirmedPublisher;
  readonly seal: HeaderSeal;
  readonly observer: MessagingObserver;
}

/**
 * Sends parked replies on to their queues once these exist and take messages, in order, confirmed and under the ids that
 * they had. One worker does, for all; every reply is tried at most once in a walk. Source: bus contract, section 5.
 */
export class ParkedReplyForwarder {
  readonly #options: ParkedReplyForwarderOptions;
  readonly #lock: QueueLock;
  #timer: NodeJS.Timeout | undefined;
  #connection: ChannelModel | undefined;
  #walk: Promise<void> = Promise.resolve();
  /** Replies that the last walk came past. */
  #shown = 0;
  /** What the last complete walk left. */
  #left = new KeptSummary();

  constructor(options: ParkedReplyForwarderOptions) {
    this.#options = options;
    this.#lock = new QueueLock(forwarderLockOf(options.names), options.publisher);
  }

  /** What lay in the queue after the last walk of this worker. */
  get left(): KeptSummary {
    return this.#left;
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
    const end = await this.#walkOver(connection).catch((): WalkEnd => 'failed');
    this.#next(connection, this.#restMs(end, performance.now() - startedMs));
  }

  #restMs(end: WalkEnd, walkMs: number): number {
    if (end === 'cut short') return SHORTEST_REST_MS;
    // One that has waited for a busy broker has waited long enough.
    if (end === 'failed') return Math.max(SHORTEST_REST_MS, INTERVAL_MS - walkMs);
    return Math.max(INTERVAL_MS, Math.min(REST_PER_WALK * walkMs, LONGEST_REST_PER_REPLY_MS * this.#shown));
  }

  async #walkOver(connection: ChannelModel): Promise<WalkEnd> {
    const { names } = this.#options;
    const depth = (await depthOf(connection, names.undelivered)) ?? 0;
    // While another worker walks, it holds them, and the broker counts none.
    const isEmpty = depth === 0 && this.#left.messages === 0;
    if (isEmpty || !(await this.#lock.isHeldBy(connection))) return 'done';
    try {
      const isCut = await this.#walkHolding(connection);
      return isCut || this.#shown < depth ? 'cut short' : 'done';
    } finally {
      await this.#lock.release(connection);
    }
  }

  /** @returns whether replies were left that their queues might have taken */
  async #walkHolding(connection: ChannelModel): Promise<boolean> {
    const round = this.#roundOver(connection);
    // Until all is back in its place: the next one with the lock would otherwise come past what was parked later.
    await using walk = await QueueWalk.open(connection, this.#options.names.undelivered, WALK);
    await this.#forwardAll(connection, walk, round);
    return round.isCut;
  }

  #roundOver(connection: ChannelModel): ForwardingRound {
    const isWanted = (): boolean => this.#connection === connection;
    return new ForwardingRound({
      // One that cannot be written was not parked by a worker; it harms no other.
      publish: (message) => this.#options.publisher.publish(message, isWanted).catch(() => undefined),
      nowMs: () => performance.now(),
    });
  }

  async #forwardAll(connection: ChannelModel, walk: QueueWalk, round: ForwardingRound): Promise<void> {
    const { names, observer, seal } = this.#options;
    const left = new KeptSummary();
    try {
      for await (const { message: parked, acknowledge } of walk.messages()) {
        this.#shown += 1;
        // Also one that is told to stop goes to the end, so that all of them are back in their places.
        if (this.#connection !== connection) round.stop();
        const message = forwardedReply(parked, names.reserved, seal);
        const remove = left.add(parked);
        const onTaken = (): void => {
          remove();
          acknowledgeIfOpen(acknowledge);
        };
        if (message) round.offer({ message, onTaken });
      }
      await round.finish();
      this.#left = left;
    } finally {
      round.stop();
      for (const [queue, replies] of round.taken) observer.repliesForwarded(queue, replies);
    }
  }
}

function acknowledgeIfOpen(acknowledge: () => void): void {
  try {
    acknowledge();
  } catch {
    // Its channel has just closed; it is sent again under the same id.
  }
}
