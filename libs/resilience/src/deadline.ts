import { setImmediate as turn } from 'node:timers/promises';

import { type Clock, steadyClock } from './clock.ts';

/** The rejection of a promise that was pending at its deadline. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';

  constructor() {
    super('The deadline passed.');
  }
}

/** The longest delay that a Node.js timer takes; beyond it, it fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The one moment that bounds everything done for a command: waits, attempts, pauses, pages. It is a time of day when it is
 * set, and what remains of it does not change with the time of day.
 *
 * It holds one timer for all its listeners, and none while it has none. The timer keeps the process alive, since an
 * answer is due when it fires.
 */
export class Deadline {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly #endsAtMs: number;
  readonly #clock: Clock;
  /** Mostly one: searching a list costs less than keeping a set. */
  #listeners: (() => void)[] = [];
  /** While there is a listener. */
  #timer: NodeJS.Timeout | undefined;

  /** @param nowMs the time of day; what remains is measured by `clock` */
  constructor(atMs: number, nowMs: number = Date.now(), clock: Clock = steadyClock) {
    this.atMs = atMs;
    this.#clock = clock;
    this.#endsAtMs = clock() + atMs - nowMs;
  }

  static after(durationMs: number): Deadline {
    const nowMs = Date.now();
    return new Deadline(nowMs + durationMs, nowMs);
  }

  /** Never negative. */
  remainingMs(): number {
    return Math.max(0, this.#endsAtMs - this.#clock());
  }

  get expired(): boolean {
    return this.#clock() >= this.#endsAtMs;
  }

  /**
   * Calls `listener` once when the deadline passes, at once if it has passed already.
   *
   * @returns a function that removes the listener; the last one that is removed clears the timer
   */
  onExpired(listener: () => void): () => void {
    this.#add(listener);
    return () => this.#remove(listener);
  }

  /**
   * Settles as `promise` does, or at the deadline.
   *
   * @throws DeadlineExceeded at the deadline; `promise` goes on, and its rejection counts as handled
   */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const expire = (): void => reject(new DeadlineExceeded());
      this.#add(expire);
      const settle = (value: T): void => {
        this.#remove(expire);
        resolve(value);
      };
      const fail = (reason: Error): void => {
        this.#remove(expire);
        reject(reason);
      };
      promise.then(settle, fail);
    });
  }

  #add(listener: () => void): void {
    if (this.expired) listener();
    else if (this.#timer !== undefined) this.#listeners.push(listener);
    else {
      // A list that grows has room for 16 more.
      this.#listeners = [listener];
      this.#arm();
    }
  }

  #remove(listener: () => void): void {
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
      // A timer may fire a millisecond early, and a delay beyond the maximum comes in parts.
      this.#arm();
      return;
    }
    this.#timer = undefined;
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }
}

/** What a slice takes before another one begins; a single piece of work in it may take longer. */
const SLICE_MS = 0.5;
/** One queue for the process, as there is one event loop. */
let last: Promise<void> = Promise.resolve();
let lastLarge: Promise<void> = Promise.resolve();

/** Waits for a turn of the event loop in which no other work is done that waited here. */
function nextSlice(): Promise<void> {
  last = last.then(() => turn());
  return last;
}

/**
 * Work that takes longer than a player should wait is done in slices of about half a millisecond. Between two of them everything
 * else is served once, however many do such work.
 */
export class Slices {
  #endsAtMs = -Infinity;

  /** Waits for a turn before the first step of the work, and again once the slice is over. */
  async next(): Promise<void> {
    if (performance.now() < this.#endsAtMs) return;
    await nextSlice();
    this.#endsAtMs = performance.now() + SLICE_MS;
  }
}

/** Does work that needs much memory once no other work is done that was given here before. @throws what the work throws */
export function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const done = lastLarge.then(work);
  lastLarge = done.then(ignore, ignore);
  return done;
}

function ignore(): void {}
