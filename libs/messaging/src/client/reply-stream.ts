import type { BusReply } from './bus-reply.ts';

/** Replies that have come and that nobody has looked at yet, with what lets the broker send the next. */
interface Arrival {
  readonly reply: BusReply;
  readonly acknowledge: () => void;
}

/** What comes for one command, in order, each reply once, until the final one. */
export class ReplyStream {
  readonly #arrived: Arrival[] = [];
  #wake: (() => void) | undefined;
  #error: Error | undefined;
  #lastSequence = -1;

  /** A reply that was seen before, as redelivery brings, is acknowledged and dropped. */
  push(reply: BusReply, acknowledge: () => void): void {
    if (reply.sequence <= this.#lastSequence) return acknowledge();
    this.#lastSequence = reply.sequence;
    this.#arrived.push({ reply, acknowledge });
    this.#wake?.();
  }

  /** No further reply will come: what has arrived is still given out, then the reason is thrown. */
  fail(error: Error): void {
    this.#error ??= error;
    this.#wake?.();
  }

  /**
   * The replies up to the final one. Each is acknowledged when the next is asked for, so a slow reader slows the broker
   * instead of filling the memory. A reader who leaves has no further use for what has arrived: it takes no room of others.
   */
  async *replies(): AsyncGenerator<BusReply, void> {
    try {
      for (;;) {
        const [arrival] = this.#arrived;
        if (arrival) {
          yield arrival.reply;
          this.#arrived.shift();
          arrival.acknowledge();
          if (arrival.reply.isFinal) return;
        } else if (this.#error) {
          throw this.#error;
        } else {
          await new Promise<void>((resolve) => (this.#wake = resolve));
        }
      }
    } finally {
      for (const { acknowledge } of this.#arrived.splice(0)) acknowledge();
    }
  }
}
