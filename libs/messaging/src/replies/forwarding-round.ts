import { setTimeout as sleep } from 'node:timers/promises';

import type { OutgoingMessage, PublishOutcome } from '#rabbitmq';

/** At most 500 replies a second. */
const SHORTEST_FORWARD_MS = 2;
/**
 * For a broker that is slow to confirm. Half of the 32 acknowledgements that a quorum queue may not have applied yet:
 * beyond those, RabbitMQ 3.10 drops them with their channel.
 */
const MAX_IN_FLIGHT = 16;
/** Replies in memory. A queue may have as many as are left free, so that others behind them are reached, too. */
const MAX_HELD = 1_000;
const MAX_HELD_BYTES = 16 * 1_024 * 1_024;
/** How long it goes on once all parked replies were offered. A queue that was tried before it was back waits for the next round. */
const LONGEST_FINISH_MS = 2_000;

/** A parked reply as it is to be published, and what is done once its queue has it. */
export interface OfferedReply {
  readonly message: OutgoingMessage;
  readonly onTaken: () => void;
}

interface Destination {
  readonly waiting: OfferedReply[];
  inFlight: number;
  /** Whether one of those in flight belongs to a sequence, whose next one waits for it. */
  isInSequence: boolean;
  hasTaken: boolean;
  /** Those behind one that was not taken wait with it, for the next round. */
  isClosed: boolean;
}

export interface ForwardingOptions {
  /** Publishes; `undefined` for one that cannot be written, which harms no other. */
  readonly publish: (message: OutgoingMessage) => Promise<PublishOutcome | undefined>;
  readonly nowMs: () => number;
}

/**
 * Sends the parked replies of one walk on: those of a queue in their order, the first alone, those of several queues at
 * the same time, so that none waits for another's backlog. What is not sent stays parked.
 */
export class ForwardingRound {
  /** Replies that each queue took. */
  readonly taken = new Map<string, number>();
  readonly #options: ForwardingOptions;
  readonly #destinations = new Map<string, Destination>();
  readonly #inFlight = new Set<Promise<void>>();
  #isSending = false;
  #sending: Promise<void> = Promise.resolve();
  #held = 0;
  #heldBytes = 0;
  #untilMs = Number.POSITIVE_INFINITY;
  #isCut = false;

  constructor(options: ForwardingOptions) {
    this.#options = options;
  }

  /** Whether replies were left that their queues might have taken: another round should soon follow. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Takes a reply into the round, or leaves it; returns at once. */
  offer(reply: OfferedReply): void {
    const destination = this.#destination(reply.message.routingKey);
    if (destination.isClosed) return;
    if (this.#isFull(destination, reply)) {
      destination.isClosed = true;
      this.#isCut = true;
      return;
    }
    destination.waiting.push(reply);
    this.#held += 1;
    this.#heldBytes += reply.message.content.length;
    this.#wake();
  }

  /** Settles when all that was offered was tried, or after two seconds and what is in flight then. */
  async finish(): Promise<void> {
    this.#untilMs = Math.min(this.#untilMs, this.#options.nowMs() + LONGEST_FINISH_MS);
    while (this.#isSending || this.#inFlight.size > 0) await Promise.all([this.#sending, ...this.#inFlight]);
  }

  /** Sends no more. */
  stop(): void {
    this.#untilMs = 0;
  }

  #destination(queue: string): Destination {
    const known = this.#destinations.get(queue);
    if (known) return known;
    const added = { waiting: [], inFlight: 0, isInSequence: false, hasTaken: false, isClosed: false };
    this.#destinations.set(queue, added);
    return added;
  }

  #isFull({ waiting }: Destination, { message }: OfferedReply): boolean {
    if (waiting.length >= MAX_HELD - this.#held) return true;
    return this.#held > 0 && this.#heldBytes + message.content.length > MAX_HELD_BYTES;
  }

  #wake(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    this.#sending = this.#send();
  }

  async #send(): Promise<void> {
    for (;;) {
      if (this.#options.nowMs() >= this.#untilMs) this.#cut();
      const next = this.#inFlight.size < MAX_IN_FLIGHT ? this.#next() : undefined;
      if (!next) {
        this.#isSending = false;
        return;
      }
      const [queue, destination] = next;
      // The others come first next time.
      this.#destinations.delete(queue);
      this.#destinations.set(queue, destination);
      const sent: Promise<void> = this.#sendFirst(queue, destination).finally(() => {
        this.#inFlight.delete(sent);
        this.#wake();
      });
      this.#inFlight.add(sent);
      await sleep(SHORTEST_FORWARD_MS);
    }
  }

  #next(): [string, Destination] | undefined {
    for (const entry of this.#destinations) {
      const [, { waiting, inFlight, isInSequence, hasTaken }] = entry;
      const [first] = waiting;
      if (!first) continue;
      if (inFlight === 0 || (hasTaken && !isInSequence && isAlone(first))) return entry;
    }
    return undefined;
  }

  async #sendFirst(queue: string, destination: Destination): Promise<void> {
    const reply = destination.waiting.shift() as OfferedReply;
    destination.inFlight += 1;
    destination.isInSequence = !isAlone(reply);
    const outcome = await this.#options.publish(reply.message).catch(() => undefined);
    destination.inFlight -= 1;
    this.#release(reply);
    destination.isInSequence = false;
    if (outcome === 'confirmed') {
      destination.hasTaken = true;
      this.taken.set(queue, (this.taken.get(queue) ?? 0) + 1);
      reply.onTaken();
    } else if (outcome) this.#close(destination);
  }

  #cut(): void {
    for (const destination of this.#destinations.values()) {
      if (destination.waiting.length > 0) this.#isCut = true;
      this.#close(destination);
    }
  }

  #close(destination: Destination): void {
    destination.isClosed = true;
    for (const reply of destination.waiting.splice(0)) this.#release(reply);
  }

  #release({ message }: OfferedReply): void {
    this.#held -= 1;
    this.#heldBytes -= message.content.length;
  }
}

/** Whether a reply is the only one of its command; pages of a report are not to overtake each other. */
function isAlone({ message }: OfferedReply): boolean {
  const { sequence, final } = message.properties.headers;
  return sequence === 0 && final === true;
}
