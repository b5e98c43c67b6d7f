import type { Clock } from '../clock.ts';

const CAPACITY = 100;
const PER_SUCCESS = 0.2;
const PER_SECOND = 1;

/**
 * How often? A token bucket of retries: they never multiply the load on what is failing, and an empty bucket does not stay
 * empty. It begins full, with 100 retries; a success gives back a fifth of one, a second gives back one.
 */
export class RetryBudget {
  readonly #clock: Clock;
  #tokens = CAPACITY;
  #refilledAtMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#refilledAtMs = clock();
  }

  /** Retries that are left, 0 to 100; below 1 none can be taken. */
  get left(): number {
    const nowMs = this.#clock();
    this.#add(((nowMs - this.#refilledAtMs) / 1000) * PER_SECOND);
    this.#refilledAtMs = nowMs;
    return this.#tokens;
  }

  /** Takes one retry. @returns whether there was one */
  take(): boolean {
    const isTaken = this.left >= 1;
    if (isTaken) this.#tokens -= 1;
    return isTaken;
  }

  succeeded(): void {
    this.#add(PER_SUCCESS);
  }

  #add(tokens: number): void {
    this.#tokens = Math.min(CAPACITY, this.#tokens + tokens);
  }
}
