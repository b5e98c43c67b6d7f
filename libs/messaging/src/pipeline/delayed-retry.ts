import type { BusNames } from '#contracts';

import type { CopyPublisher } from '../publishing/copy-publisher.ts';
import type { CommandInHand } from './command-in-hand.ts';
import { copyOf } from './copy-of.ts';
import { retryHeaders } from './retry-headers.ts';
import { nextDelayMs } from './next-delay.ts';
import { progressHeaders } from './progress.ts';

/** Counts how often a report was postponed. */
const POSTPONED = 'x-postponed';

export interface DelayedRetryOptions {
  readonly names: BusNames;
  /** The delays (setting `REPORTS_RETRY_DELAYS_MS`). */
  readonly delaysMs: readonly number[];
  readonly copies: CopyPublisher;
}

/** The delayed retries of reports: queues whose messages come back when their time has passed. */
export class DelayedRetry {
  readonly #options: DelayedRetryOptions;

  constructor(options: DelayedRetryOptions) {
    this.#options = options;
  }

  /**
   * Puts a copy of a report into the retry queue of its next delay.
   *
   * @returns the delay, or `undefined` where it would pass the deadline; then nothing was done
   */
  async postpone(command: CommandInHand, retryAfterMs: number | undefined): Promise<number | undefined> {
    const { names, delaysMs, copies } = this.#options;
    const { delivery, deadline } = command;
    const postponed = Number(retryHeaders(delivery)[POSTPONED]) || 0;
    const delayMs = nextDelayMs({ delaysMs, postponed, retryAfterMs, remainingMs: deadline.remainingMs() });
    if (delayMs === undefined) return undefined;
    const copy = copyOf(command, {
      queue: names.retry(delayMs),
      headers: { [POSTPONED]: postponed + 1, ...progressHeaders(command) },
    });
    await copies.publish(copy, () => delivery.isAlive);
    return delayMs;
  }
}
