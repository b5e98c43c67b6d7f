import type { Clock } from './clock.ts';

/** What a promise rejects with that was still open at its deadline. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';

  constructor() {
    super('The deadline passed.');
  }
}

/** The longest delay that a Node.js timer takes; beyond it, it fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * One moment that covers everything done for a command: waits, attempts, pauses, pages.
 *
 * It holds at most one timer, however many wait for it, and none while nobody waits. The timer keeps the process
 * alive, since an answer is due when it fires.
 */
export class Deadline {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly #clock: Clock;
  /** Mostly one: to look through a list costs less than to keep a set. */
  #listeners: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(atMs: number, clock: Clock = Date.now) {
    this.atMs = atMs;
    this.#clock = clock;
  }

  static after(durationMs: number, clock: Clock = Date.now): Deadline {
    return new Deadline(clock() + durationMs, clock);
  }

  /** Never negative. */
  remainingMs(): number {
    return Math.max(0, this.atMs - this.#clock());
  }

  get expired(): boolean {
    return this.#clock() >= this.atMs;
  }

  /**
   * Calls `listener` once when the deadline passes, at once where it has passed already.
   *
   * @returns a function that takes the listener back; the last one taken back clears the timer
   */
  onExpired(listener: () => void): () => void {
    if (this.expired) {
      listener();
      return () => undefined;
    }
    this.#listeners.push(listener);
    if (this.#timer === undefined) this.#arm();
    return () => this.#takeBack(listener);
  }

  /**
   * Settles as `promise` does, or at the deadline.
   *
   * @throws DeadlineExceeded at the deadline; `promise` is left to itself and its rejection counts as handled
   */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const takeBack = this.onExpired(() => reject(new DeadlineExceeded()));
      const settle = (value: T): void => {
        takeBack();
        resolve(value);
      };
      const fail = (reason: Error): void => {
        takeBack();
        reject(reason);
      };
      promise.then(settle, fail);
    });
  }

  #takeBack(listener: () => void): void {
    const index = this.#listeners.indexOf(listener);
    if (index !== -1) this.#listeners.splice(index, 1);
    if (this.#listeners.length === 0) this.#disarm();
  }

  #arm(): void {
    const delayMs = Math.min(Math.ceil(this.remainingMs()), MAX_TIMER_MS);
    this.#timer = setTimeout(() => this.#wake(), delayMs);
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wake(): void {
    if (!this.expired) {
      // A timer may fire a millisecond early, and one longer than the maximum comes in parts.
      this.#arm();
      return;
    }
    this.#timer = undefined;
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }
}
