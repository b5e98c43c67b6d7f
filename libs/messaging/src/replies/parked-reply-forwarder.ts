import type { ChannelModel } from 'amqplib';

import type { BusNames } from '#contracts';
import { type Broker, pause, QueueLock, within } from '#rabbitmq';

import type { InternalKeys } from '../envelope/seal.ts';
import { forwardedReply } from '../operator/forwarded-reply.ts';
import { KeptSummary } from '../operator/kept-message.ts';
import type { MessagingObserver } from '../observer/messaging-observer.ts';
import { lockOf } from '../topology/topology.ts';
import { FailingDestinations } from './failing-destinations.ts';
import { ForwardingRound } from './forwarding-round.ts';

const INTERVAL_MS = 3_000;
/** The rest after an incomplete walk; long enough for another worker to take the lock. */
const SHORTEST_REST_MS = 500;
/** A long walk is followed by a longer rest, so that the worker has time for commands. */
const REST_SHARE = 1 / 2;
const STOP_TIMEOUT_MS = 2_000;
const WALK = {
  // A message that the broker delivers slowly must not keep those behind it here.
  silenceMs: 60_000,
  // No final reply is nearly as long. A truncated message has no valid seal, and stays.
  maxBodyBytes: 1024 * 1024,
};

export interface ForwarderOptions {
  readonly names: BusNames;
  readonly internalKeys: InternalKeys;
  readonly observer: Pick<MessagingObserver, 'repliesForwarded'>;
}

/**
 * Forwards parked replies once their queues exist and accept messages: in order, confirmed, and under their
 * original ids. One worker does so for all; each reply is tried at most once in a walk. Source: bus contract,
 * section 5.
 */
export class ParkedReplyForwarder {
  readonly #options: ForwarderOptions;
  readonly #broker: Broker;
  readonly #lock: QueueLock;
  readonly #stopping = new AbortController();
  readonly #failing = new FailingDestinations();
  /** True if the last walk was incomplete, so that the next one should follow soon. */
  #wasCut = false;
  #left = new KeptSummary();
  #walking: Promise<void> = Promise.resolve();

  constructor(options: ForwarderOptions, broker: Broker) {
    this.#options = options;
    this.#broker = broker;
    this.#lock = new QueueLock(lockOf(options.names, 'undelivered'), broker);
  }

  /** The replies that this worker's last complete walk left in the queue. */
  get left(): KeptSummary {
    return this.#left;
  }

  /** Starts to walk repeatedly while there is a connection, until `stop`; returns at once. */
  start(): void {
    this.#walking = this.#keepWalking();
  }

  /** Stops after the current reply. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await within(STOP_TIMEOUT_MS, 'the last parked reply', this.#walking).catch(() => undefined);
  }

  async #keepWalking(): Promise<void> {
    const { signal } = this.#stopping;
    for (let restMs = INTERVAL_MS; ;) {
      await pause(restMs, signal);
      if (signal.aborted) return;
      const { consuming } = this.#broker;
      // A failure is retried at the next walk.
      restMs = consuming ? await this.#walkOver(consuming).catch(() => INTERVAL_MS) : INTERVAL_MS;
    }
  }

  /** @returns the rest before the next walk, in milliseconds */
  async #walkOver(connection: ChannelModel): Promise<number> {
    const { names, observer, internalKeys } = this.#options;
    const found = await this.#broker.standingOf(names.undelivered);
    const depth = typeof found === 'object' ? found.messageCount : 0;
    // While another worker walks, it holds all messages, and the broker counts none.
    if (depth === 0 && this.#left.messages === 0) return INTERVAL_MS;
    if (!this.#wasCut && depth === this.#left.messages) {
      const restMs = this.#failing.nextMs - performance.now();
      if (restMs > 0) return Math.min(restMs, INTERVAL_MS);
    }
    const isWanted = (): boolean => !this.#stopping.signal.aborted && this.#broker.consuming === connection;
    const startedMs = performance.now();
    const round = new ForwardingRound(
      // No worker has parked a message that cannot be written.
      (message) => this.#broker.publish(message, isWanted).catch(() => undefined),
      () => performance.now(),
      this.#failing,
    );
    const hasWalked = await this.#lock.walk(connection, names.undelivered, WALK, async (messages) => {
      this.#failing.begin(performance.now(), this.#wasCut);
      this.#wasCut = true;
      const left = new KeptSummary();
      try {
        for await (const { message: parked, acknowledge } of messages) {
          // A walk that is stopped still reads to the end, so that all replies return to their places.
          if (!isWanted()) round.stop();
          const queue: unknown = parked.properties.headers?.['x-origin-queue'];
          const isOpen = typeof queue === 'string' && round.isOpenFor(queue);
          const message = isOpen ? forwardedReply(parked, names.reserved, internalKeys) : undefined;
          const sent = message ? round.offer(message) : Promise.resolve(false);
          // If the channel was just closed, the reply is sent again under the same id.
          sent.then((isTaken) => (isTaken ? acknowledge() : left.add(parked))).catch(() => undefined);
          await round.room();
        }
        await round.finish();
        this.#left = left;
        this.#wasCut = round.isCut;
      } finally {
        round.stop();
        for (const [queue, replies] of round.taken) observer.repliesForwarded(queue, replies);
      }
    });
    if (!hasWalked) return INTERVAL_MS;
    const endedMs = performance.now();
    const untilDueMs = this.#wasCut ? 0 : this.#failing.nextMs - endedMs;
    const shortestMs = Math.max(REST_SHARE * (endedMs - startedMs), SHORTEST_REST_MS);
    return Math.max(shortestMs, Math.min(INTERVAL_MS, untilDueMs));
  }
}
