import { type ConfirmedPublisher, UnconfirmedError } from './confirmed-publisher.ts';
import type { OutgoingMessage } from './outgoing-message.ts';
import { isRefusal, publishWithRetry } from './publish-with-retry.ts';

const RETRY_MS = 10_000;
const REDECLARATIONS = 3;

/** Publishes to the service's own queues, where anything but a confirmation means that something is broken. */
export class CopyPublisher {
  readonly #publisher: ConfirmedPublisher;
  readonly #redeclare: () => Promise<void>;
  readonly #nowMs: () => number;

  /** @param redeclare declares the topology again, if a queue of it has gone */
  constructor(publisher: ConfirmedPublisher, redeclare: () => Promise<void>, nowMs: () => number) {
    this.#publisher = publisher;
    this.#redeclare = redeclare;
    this.#nowMs = nowMs;
  }

  /** @throws UnconfirmedError if the copy could not be kept; the original must then stay unacknowledged */
  async publish(message: OutgoingMessage, isWanted: () => boolean): Promise<void> {
    const untilMs = this.#nowMs() + RETRY_MS;
    for (let redeclared = 0; redeclared < REDECLARATIONS; redeclared += 1) {
      const outcome = await publishWithRetry(
        () => this.#publisher.publish(message, isWanted),
        () => untilMs - this.#nowMs(),
      );
      if (outcome === 'confirmed') return;
      if (isRefusal(outcome)) break;
      // If the connection has just gone, the copy waits for the next one, which declares everything.
      await this.#redeclare().catch(() => undefined);
    }
    throw new UnconfirmedError(`The broker does not take copies for ${message.routingKey}.`);
  }
}
