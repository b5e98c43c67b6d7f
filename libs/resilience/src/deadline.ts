import { type Clock, steadyClock } from './clock.ts';

/** The rejection of a promise that was pending at its deadline. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
  override readonly message = 'The deadline passed.';
}

/** Nothing further is done for a command that is not this worker's any more, for example because its delivery was lost. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
  override readonly message = 'The command is not in the hands of this worker any more.';
}

/** The longest delay that a Node.js timer takes; beyond it, it fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The one moment that bounds everything done for a command: waits, attempts, pauses, pages. It is given as a time of day;
 * what remains of it is measured by a steady clock. Its timers keep the process alive, since an answer is due when they fire.
 */
export class Deadline {
  readonly #endsAtMs: number;

  /**
   * @param atMs milliseconds since the epoch
   * @param nowMs the time of day; what remains is measured by `clock`
   */
  constructor(
    readonly atMs: number,
    nowMs: number = Date.now(),
    private readonly clock: Clock = steadyClock,
  ) {
    this.#endsAtMs = clock() + atMs - nowMs;
  }

  /** Never negative. */
  remainingMs(): number {
    return Math.max(0, this.#endsAtMs - this.clock());
  }

  get expired(): boolean {
    return this.clock() >= this.#endsAtMs;
  }

  /**
   * Calls `listener` once when the deadline passes; if it has passed already, in a moment, and not within this call.
   *
   * @returns a function that removes the listener and its timer
   */
  onExpired(listener: () => void): () => void {
    const wait = () => setTimeout(check, Math.min(Math.ceil(this.remainingMs()), MAX_TIMER_MS));
    // Asked again: a timer may fire a millisecond early, and a delay beyond the maximum comes in parts.
    const check = (): void => (this.expired ? listener() : void (timer = wait()));
    let timer = wait();
    return () => clearTimeout(timer);
  }

  /**
   * Settles as `promise` does, or at the deadline.
   *
   * @throws DeadlineExceeded at the deadline; a later rejection of `promise` counts as handled
   */
  race<T>(promise: Promise<T>): Promise<T> {
    const { promise: expired, reject } = Promise.withResolvers<never>();
    const expire = (): void => reject(new DeadlineExceeded());
    if (this.expired) expire();
    return Promise.race([expired, promise]).finally(this.onExpired(expire));
  }
}
