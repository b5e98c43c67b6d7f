import { setTimeout as sleep } from 'node:timers/promises';

import type { OutgoingMessage, PublishOutcome } from '#rabbitmq';

/** At most 500 replies a second. */
const SHORTEST_FORWARD_MS = 2;
/** In all queues together, for a broker that is slow to confirm. */
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

interface Destination {
  readonly waiting: OfferedReply[];
  isSending: boolean;
  hasTaken: boolean;
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
  readonly #sending = new Set<Promise<void>>();
  readonly #inFlight = new Set<Promise<unknown>>();
  /** When the next reply may be published. */
  #turn: Promise<unknown> = Promise.resolve();
  #held = 0;
  #heldBytes = 0;
  #untilMs = Number.POSITIVE_INFINITY;

  constructor(publish: Publish, nowMs: () => number) {
    this.#publish = publish;
    this.#nowMs = nowMs;
  }

  /** Takes a reply into the round, or leaves it; returns at once. */
  offer(reply: OfferedReply): void {
    const { routingKey: queue, content } = reply.message;
    const added = { waiting: [], isSending: false, hasTaken: false, isFull: false, isClosed: false };
    const destination = this.#destinations.get(queue) ?? added;
    this.#destinations.set(queue, destination);
    if (destination.isFull || destination.isClosed) return;
    const isFull = destination.waiting.length >= MAX_HELD - this.#held;
    if (isFull || (this.#held > 0 && this.#heldBytes + content.length > MAX_HELD_BYTES)) {
      destination.isFull = true;
      this.isCut = true;
      return;
    }
    destination.waiting.push(reply);
    this.#held += 1;
    this.#heldBytes += content.length;
    if (destination.isSending) return;
    const sending: Promise<void> = this.#sendAll(queue, destination).finally(() =>
      this.#sending.delete(sending),
    );
    this.#sending.add(sending);
  }

  /** Settles when all that was offered was tried, or after two seconds and what is in flight then. */
  async finish(): Promise<void> {
    this.#untilMs = Math.min(this.#untilMs, this.#nowMs() + LONGEST_FINISH_MS);
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  /** Sends no more. */
  stop(): void {
    this.#untilMs = 0;
  }

  /** Sends what waits for a queue: several at a time once it has taken one, but the pages of a report one by one. */
  async #sendAll(queue: string, destination: Destination): Promise<void> {
    const { waiting } = destination;
    destination.isSending = true;
    while (waiting.length > 0) {
      const other = waiting.findIndex((reply) => !isAlone(reply));
      const count = destination.hasTaken ? (other === -1 ? MAX_IN_FLIGHT : other) : 1;
      const next = waiting.splice(0, Math.min(Math.max(1, count), MAX_IN_FLIGHT));
      await Promise.all(next.map((reply) => this.#send(queue, destination, reply)));
    }
    destination.isSending = false;
  }

  async #send(queue: string, destination: Destination, reply: OfferedReply): Promise<void> {
    if (!destination.isClosed) await this.#nextTurn();
    if (!destination.isClosed && this.#nowMs() >= this.#untilMs) {
      destination.isClosed = true;
      this.isCut = true;
    }
    if (!destination.isClosed) {
      const publishing = this.#publish(reply.message);
      this.#inFlight.add(publishing);
      const outcome = await publishing;
      this.#inFlight.delete(publishing);
      if (outcome === 'confirmed') {
        destination.hasTaken = true;
        this.taken.set(queue, (this.taken.get(queue) ?? 0) + 1);
        reply.onTaken();
      } else if (outcome) destination.isClosed = true;
    }
    this.#held -= 1;
    this.#heldBytes -= reply.message.content.length;
  }

  /** Every reply has a turn of its own. */
  #nextTurn(): Promise<void> {
    const before = this.#turn;
    const turn = (async () => {
      await before;
      while (this.#inFlight.size >= MAX_IN_FLIGHT) await Promise.race(this.#inFlight);
    })();
    this.#turn = turn.then(() => sleep(SHORTEST_FORWARD_MS));
    return turn;
  }
}

/** Whether a reply is the only one of its command; pages of a report are not to overtake each other. */
function isAlone({ message }: OfferedReply): boolean {
  const { sequence, final } = message.properties.headers;
  return sequence === 0 && final === true;
}
