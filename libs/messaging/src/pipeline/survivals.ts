import { hash } from 'node:crypto';

import type { BusNames } from '#contracts';
import { type Broker, onChannel, pause, QueueLock } from '#rabbitmq';

const ANSWER_TIMEOUT_MS = 5_000;
const CHECK_MS = 200;
/** Longer than any worker waits for a note. */
const NOTE_EXPIRES_MS = 60_000;

/**
 * Distinguishes a worker that lost its connection from one that died. For each start that it lost, a live
 * worker declares a queue as a note. The other worker does not know this one, so the name of the queue is
 * derived from the start.
 */
export class Survivals {
  readonly #names: BusNames;
  readonly #broker: Pick<Broker, 'consuming' | 'publish'>;

  constructor(names: BusNames, broker: Pick<Broker, 'consuming' | 'publish'>) {
    this.#names = names;
    this.#broker = broker;
  }

  /**
   * Declares the note that this process survived a start.
   *
   * @throws Error if there is no connection, or the broker does not answer
   */
  async report(start: string): Promise<void> {
    const { consuming } = this.#broker;
    if (!consuming) throw new Error('there is no connection');
    const note = this.#noteOf(start);
    await onChannel(consuming, ANSWER_TIMEOUT_MS, 'a note of survival', (channel) =>
      channel.assertQueue(note.name, { durable: true, arguments: note.arguments }),
    );
  }

  /**
   * Resolves true as soon as another process has reported the start, and false after `waitMs` without a
   * report.
   */
  async isReported(start: string, waitMs: number): Promise<boolean> {
    const note = new QueueLock(this.#noteOf(start), this.#broker);
    for (const untilMs = performance.now() + waitMs; ; await pause(CHECK_MS)) {
      if (await note.isTaken()) return true;
      if (performance.now() >= untilMs) return false;
    }
  }

  #noteOf(start: string) {
    const arguments_ = { 'x-queue-type': 'classic', 'x-max-length': 0, 'x-expires': NOTE_EXPIRES_MS };
    return { name: `${this.#names.quarantine}.survived.${hash('sha256', start)}`, arguments: arguments_ };
  }
}
