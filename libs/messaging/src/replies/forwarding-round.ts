import { setTimeout as sleep } from 'node:timers/promises';

import type { OutgoingMessage, PublishOutcome } from '#rabbitmq';
import { type Holder, SharedCapacity } from '#resilience';

import type { FailingDestinations } from './failing-destinations.ts';

/** At most 1,000 replies a second, in batches: a write to the socket costs more than a reply. */
const BATCH = 64;
const BATCH_MS = 64;
/** The maximum of unconfirmed replies to one queue. */
const MAX_IN_FLIGHT = 16;
/**
 * The maximum of replies in memory. A queue may hold as many as it leaves free, so that replies to other
 * queues behind them are reached as well.
 */
const MAX_HELD = 1_000;
const MAX_HELD_BYTES = 16 * 1_024 * 1_024;
/** With more replies in memory, the walk waits for their confirms, for this long in total. */
const ENOUGH_HELD = 500;
const LONGEST_WAIT_MS = 5_000;
const CHECK_MS = 10;
/**
 * How long a round lasts once all parked replies were offered. A queue that was tried before it existed again
 * waits for the next round.
 */
const LONGEST_FINISH_MS = 2_000;

interface Destination extends Holder {
  /**
   * The last sixteen replies. The next one waits for the first of them, so all replies wait for the very
   * first one.
   */
  readonly latest: Promise<boolean>[];
  /**
   * True if replies were left that the queue might have accepted. All further ones stay parked, so that they
   * keep their order.
   */
  isCut: boolean;
  /** True after a reply was not accepted: the replies behind it wait for the next round. */
  isClosed: boolean;
}

/** @returns `undefined` for a message that cannot be written; it does not affect the others */
type Publish = (message: OutgoingMessage) => Promise<PublishOutcome | undefined>;

/**
 * Forwards the parked replies of one walk. Replies to one queue are sent in order, the first one alone;
 * several queues are served at the same time, so that none waits for another's backlog. Replies that are not
 * sent stay parked.
 */
export class ForwardingRound {
  /** The number of replies that each queue accepted. */
  readonly taken = new Map<string, number>();
  readonly #publish: Publish;
  readonly #nowMs: () => number;
  readonly #failing: FailingDestinations;
  readonly #destinations = new Map<string, Destination>();
  readonly #held = new SharedCapacity(MAX_HELD);
  #heldBytes = 0;
  #waitedMs = 0;
  #sent = 0;
  /** When the next reply may be published. */
  #turn: Promise<unknown> = Promise.resolve();
  #untilMs = Number.POSITIVE_INFINITY;

  constructor(publish: Publish, nowMs: () => number, failing: FailingDestinations) {
    this.#publish = publish;
    this.#nowMs = nowMs;
    this.#failing = failing;
  }

  /** True if replies were left that their queues might have accepted. Another round should follow soon. */
  get isCut(): boolean {
    return [...this.#destinations.values()].some(({ isCut }) => isCut);
  }

  /** True if this round may send a reply to the queue. */
  isOpenFor(queue: string): boolean {
    const destination = this.#destinations.get(queue);
    return destination ? !destination.isCut && !destination.isClosed : this.#failing.isDue(queue);
  }

  /** Waits while many replies are unconfirmed, so that one round can try thousands of queues. */
  async room(): Promise<void> {
    while (this.#held.inFlight > ENOUGH_HELD && this.#waitedMs < LONGEST_WAIT_MS) {
      if (this.#nowMs() >= this.#untilMs) return;
      await sleep(CHECK_MS);
      this.#waitedMs += CHECK_MS;
    }
  }

  /**
   * Adds a reply to the round if there is room.
   *
   * @returns true once its queue has accepted it
   */
  offer(message: OutgoingMessage): Promise<boolean> {
    const { routingKey: queue, content } = message;
    if (!this.isOpenFor(queue)) return Promise.resolve(false);
    const added = { inFlight: 0, latest: [], isCut: false, isClosed: false };
    const destination: Destination = this.#destinations.get(queue) ?? added;
    this.#destinations.set(queue, destination);
    const areTooLarge = this.#held.inFlight > 0 && this.#heldBytes + content.length > MAX_HELD_BYTES;
    if (areTooLarge || !this.#held.hasRoomFor(destination)) {
      destination.isCut = true;
      return Promise.resolve(false);
    }
    this.#held.reserve(destination);
    this.#heldBytes += content.length;
    const sending = this.#send(message, destination).finally(() => {
      this.#held.release(destination);
      this.#heldBytes -= content.length;
    });
    destination.latest.push(sending);
    if (destination.latest.length > MAX_IN_FLIGHT) void destination.latest.shift();
    return sending;
  }

  /**
   * Resolves when all offered replies were tried, or after two seconds and the in-flight replies at that
   * time.
   */
  async finish(): Promise<void> {
    this.#untilMs = Math.min(this.#untilMs, this.#nowMs() + LONGEST_FINISH_MS);
    await Promise.all([...this.#destinations.values()].flatMap(({ latest }) => latest));
  }

  stop(): void {
    this.#untilMs = 0;
  }

  async #send(message: OutgoingMessage, destination: Destination): Promise<boolean> {
    await destination.latest[0];
    if (destination.isClosed) return false;
    const turn = this.#turn;
    this.#sent += 1;
    if (this.#sent % BATCH === 0) this.#turn = turn.then(() => sleep(BATCH_MS));
    await turn;
    if (destination.isClosed) return false;
    if (this.#nowMs() >= this.#untilMs) {
      destination.isCut = destination.isClosed = true;
      return false;
    }
    const outcome = await this.#publish(message);
    const isTaken = outcome === 'confirmed';
    const { routingKey: queue } = message;
    if (isTaken) {
      this.taken.set(queue, (this.taken.get(queue) ?? 0) + 1);
      this.#failing.delivered(queue);
    } else {
      destination.isClosed ||= outcome !== undefined;
      this.#failing.failed(queue, this.#nowMs());
    }
    return isTaken;
  }
}
