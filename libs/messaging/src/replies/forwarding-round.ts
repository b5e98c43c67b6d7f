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

/** A parked reply as it is to be published, and what is done once its queue has it. */
export interface OfferedReply {
  readonly message: OutgoingMessage;
  readonly onTaken: () => void;
}

/** The replies that are held for one queue. */
interface Destination extends Share {
  readonly waiting: OfferedReply[];
  sending: Promise<void> | undefined;
  /** Takes no further offers: they stay parked. */
  isFull: boolean;
  /** What is behind a reply that was not taken waits with it, for the next round. */
  isClosed: boolean;
}

/** Publishes; `undefined` for a message that cannot be written, which harms no other. */
type Publish = (message: OutgoingMessage) => Promise<PublishOutcome | undefined>;

/**
 * Sends the parked replies of one walk on: those of a queue in their order, the first alone, and several queues at the same
 * time, so that none waits for another's backlog. What is not sent stays parked.
 */
export class ForwardingRound {
  /** Replies that each queue took. */
  readonly taken = new Map<string, number>();
  /** Whether replies were left that their queues might have taken: another round should soon follow. */
  isCut = false;
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

  /** Takes a reply into the round, or leaves it; returns at once. */
  offer(reply: OfferedReply): void {
    const { routingKey: queue, content } = reply.message;
    const added = { inFlight: 0, waiting: [], sending: undefined, isFull: false, isClosed: false };
    const destination = this.#destinations.get(queue) ?? added;
    this.#destinations.set(queue, destination);
    if (destination.isFull || destination.isClosed) return;
    const areTooLarge = this.#held.inFlight > 0 && this.#heldBytes + content.length > MAX_HELD_BYTES;
    if (areTooLarge || !this.#held.hasRoomFor(destination)) {
      destination.isFull = true;
      this.isCut = true;
      return;
    }
    destination.waiting.push(reply);
    this.#held.take(destination);
    this.#heldBytes += content.length;
    destination.sending ??= this.#sendAll(queue, destination);
  }

  /** Settles when all that was offered was tried, or after two seconds and what is in flight then. */
  async finish(): Promise<void> {
    this.#untilMs = Math.min(this.#untilMs, this.#nowMs() + LONGEST_FINISH_MS);
    await Promise.all([...this.#destinations.values()].map(async ({ sending }) => sending));
  }

  /** Sends no more. */
  stop(): void {
    this.#untilMs = 0;
  }

  async #sendAll(queue: string, destination: Destination): Promise<void> {
    const { waiting } = destination;
    for (let count = 1; waiting.length > 0; count = MAX_IN_FLIGHT) {
      await Promise.all(waiting.splice(0, count).map((reply) => this.#send(queue, destination, reply)));
    }
    destination.sending = undefined;
  }

  async #send(queue: string, destination: Destination, { message, onTaken }: OfferedReply): Promise<void> {
    if (!destination.isClosed) {
      const turn = this.#turn;
      this.#turn = turn.then(() => sleep(SHORTEST_FORWARD_MS));
      await turn;
    }
    if (!destination.isClosed && this.#nowMs() >= this.#untilMs) {
      destination.isClosed = true;
      this.isCut = true;
    }
    const outcome = destination.isClosed ? undefined : await this.#publish(message);
    if (outcome === 'confirmed') {
      this.taken.set(queue, (this.taken.get(queue) ?? 0) + 1);
      onTaken();
    } else if (outcome) destination.isClosed = true;
    this.#held.giveBack(destination);
    this.#heldBytes -= message.content.length;
  }
}
