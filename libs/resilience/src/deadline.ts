import { type Clock, steadyClock } from './clock.ts';

/** The reason with which a promise rejects if it is still pending at its deadline. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
  override readonly message = 'The deadline passed.';
}

/**
 * Ends all work for a command that no longer belongs to this worker, for example because its delivery was
 * lost.
 */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
  override readonly message = 'The command is not in the hands of this worker any more.';
}

/** The longest delay that a Node.js timer supports; a longer one fires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The deadline of a command, which bounds its waits, attempts, pauses and pages. It is given as a time of
 * day, but the remaining time is measured by a monotonic clock. Its timers keep the process alive because a
 * reply is due when they fire.
 */
export class Deadline {
  #endsAtMs: number;
  /** Checks of the pending listeners. */
  readonly #checks = new Set<() => void>();

  /**
   * @param atMs milliseconds since the epoch
   * @param nowMs the time of day, to which `atMs` is relative; `clock` measures the remaining time
   */
  constructor(
    readonly atMs: number,
    nowMs: number = Date.now(),
    private readonly clock: Clock = steadyClock,
  ) {
    this.#endsAtMs = clock() + atMs - nowMs;
  }

  /** Milliseconds until the deadline; never negative. */
  remainingMs(): number {
    return Math.max(0, this.#endsAtMs - this.clock());
  }

  get expired(): boolean {
    return this.clock() >= this.#endsAtMs;
  }

  /**
   * Calls `listener` once when the deadline passes. If it has passed already, the call is asynchronous, too.
   *
   * @returns a function that removes the listener and its timer
   */
  onExpired(listener: () => void): () => void {
    const wait = () => setTimeout(check, Math.min(Math.ceil(this.remainingMs()), MAX_TIMER_MS));
    const remove = (): void => {
      clearTimeout(timer);
      this.#checks.delete(check);
    };
    // Checks the clock because a timer may fire a millisecond early, and a delay beyond the maximum is split
    // into parts.
    const check = (): void => {
      if (!this.expired) return void (timer = wait());
      remove();
      listener();
    };
    let timer = wait();
    this.#checks.add(check);
    return remove;
  }

  /** Expires the deadline now, for a command that another worker will run. */
  expire(): void {
    this.#endsAtMs = -Infinity;
    for (const check of this.#checks) check();
  }

  /**
   * Settles like `promise`, or rejects at the deadline.
   *
   * @throws DeadlineExceeded at the deadline; a later rejection of `promise` is handled
   */
  race<T>(promise: Promise<T>): Promise<T> {
    const { promise: expired, reject } = Promise.withResolvers<never>();
    const expire = (): void => reject(new DeadlineExceeded());
    if (this.expired) expire();
    return Promise.race([expired, promise]).finally(this.onExpired(expire));
  }
}
