import { setTimeout as sleep } from 'node:timers/promises';

import type { OutgoingMessage, PublishOutcome } from '#rabbitmq';
import { type Share, Shares } from '#resilience';

/** At most 500 replies a second. */
const SHORTEST_FORWARD_MS = 2;
/** Replies that one queue has not confirmed yet. */
const MAX_IN_FLIGHT = 16;
/** Replies in memory. A queue may have as many as are left free, so that others behind them are reached, too. */
const MAX_HELD = 1_000;
const MAX_HELD_BYTES = 16 * 1_024 * 1_024;
/** How long a round lasts once all parked replies were offered. A queue that was tried before it was back waits for the next round. */
const LONGEST_FINISH_MS = 2_000;

interface Destination extends Share {
  /** The last sixteen: the next reply waits for the first of them, and so all wait for the very first one. */
  readonly latest: Promise<boolean>[];
  /** Replies were left that its queue might have taken; all further ones stay parked, so that they keep their order. */
  isCut: boolean;
  /** What is behind a reply that was not taken waits with it, for the next round. */
  isClosed: boolean;
}

/** @returns `undefined` for a message that cannot be written, which harms no other */
type Publish = (message: OutgoingMessage) => Promise<PublishOutcome | undefined>;

/**
 * Sends the parked replies of one walk on: those of a queue in their order, the first alone, and several queues at the same
 * time, so that none waits for another's backlog. What is not sent stays parked.
 */
export class ForwardingRound {
  /** Replies that each queue took. */
  readonly taken = new Map<string, number>();
  readonly #publish: Publish;
  readonly #nowMs: () => number;
  readonly #destinations = new Map<string, Destination>();
  readonly #held = new Shares(MAX_HELD);
  #heldBytes = 0;
  /** When the next reply may be published. */
  #turn: Promise<unknown> = Promise.resolve();
  #untilMs = Number.POSITIVE_INFINITY;

  constructor(publish: Publish, nowMs: () => number) {
    this.#publish = publish;
    this.#nowMs = nowMs;
  }

  /** Whether replies were left that their queues might have taken: another round should soon follow. */
  get isCut(): boolean {
    return [...this.#destinations.values()].some(({ isCut }) => isCut);
  }

  /** Takes a reply into the round, or leaves it. @returns whether its queue took it in the end */
  offer(message: OutgoingMessage): Promise<boolean> {
    const { routingKey: queue, content } = message;
    const added = { inFlight: 0, latest: [], isCut: false, isClosed: false };
    const destination: Destination = this.#destinations.get(queue) ?? added;
    this.#destinations.set(queue, destination);
    if (destination.isCut || destination.isClosed) return Promise.resolve(false);
    const areTooLarge = this.#held.inFlight > 0 && this.#heldBytes + content.length > MAX_HELD_BYTES;
    if (areTooLarge || !this.#held.hasRoomFor(destination)) {
      destination.isCut = true;
      return Promise.resolve(false);
    }
    this.#held.take(destination);
    this.#heldBytes += content.length;
    const sending = this.#send(message, destination).finally(() => {
      this.#held.giveBack(destination);
      this.#heldBytes -= content.length;
    });
    destination.latest.push(sending);
    if (destination.latest.length > MAX_IN_FLIGHT) void destination.latest.shift();
    return sending;
  }

  /** Settles when all that was offered was tried, or after two seconds and what is in flight then. */
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
    this.#turn = turn.then(() => sleep(SHORTEST_FORWARD_MS));
    await turn;
    if (destination.isClosed) return false;
    if (this.#nowMs() >= this.#untilMs) {
      destination.isCut = destination.isClosed = true;
      return false;
    }
    const outcome = await this.#publish(message);
    const isTaken = outcome === 'confirmed';
    const { routingKey: queue } = message;
    if (isTaken) this.taken.set(queue, (this.taken.get(queue) ?? 0) + 1);
    else if (outcome) destination.isClosed = true;
    return isTaken;
  }
}
