import type { Clock } from '../clock.ts';

const CAPACITY = 100;
const PER_SUCCESS = 0.2;
const PER_SECOND = 1;

/**
 * How often? A bucket of retries that successes refill, and time slowly, so that retries never multiply the load on
 * what is failing, and an empty bucket is not empty for ever.
 *
 * It begins full, with 100 retries; a success gives back a fifth of one, a second gives back one.
 */
export class RetryBudget {
  readonly #clock: Clock;
  #tokens = CAPACITY;
  #countedAtMs: number;

  constructor(clock: Clock = Date.now) {
    this.#clock = clock;
    this.#countedAtMs = clock();
  }

  /** Takes one retry. @returns whether there was one */
  take(): boolean {
    const nowMs = this.#clock();
    this.#add((Math.max(0, nowMs - this.#countedAtMs) / 1000) * PER_SECOND);
    this.#countedAtMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  succeeded(): void {
    this.#add(PER_SUCCESS);
  }

  #add(tokens: number): void {
    this.#tokens = Math.min(CAPACITY, this.#tokens + tokens);
  }
}
