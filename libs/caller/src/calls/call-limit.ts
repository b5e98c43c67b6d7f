import { setMaxListeners } from 'node:events';

/** A command that a worker has taken is answered by its deadline and one second; the rest is for the way. */
const ANSWER_SLACK_MS = 1_500;

/** Until when a call waits: its deadline, a signal of its own, and the end of the caller. */
export class CallLimit {
  readonly #controller = new AbortController();
  readonly #deadline: number;
  readonly #timer: NodeJS.Timeout;
  readonly #outer: readonly AbortSignal[];

  /**
   * @param expire the reason once the deadline has passed
   * @param outer ends the call with its own reason
   */
  constructor(deadlineMs: number, expire: () => Error, outer: readonly (AbortSignal | undefined)[]) {
    this.#deadline = performance.now() + deadlineMs;
    this.#timer = setTimeout(() => this.#controller.abort(expire()), deadlineMs + ANSWER_SLACK_MS);
    this.#outer = outer.filter((signal) => signal !== undefined);
    // A caller may have as many calls under way as it likes; Node.js 20 takes eleven for a leak.
    setMaxListeners(0, ...this.#outer);
    for (const signal of this.#outer) {
      if (signal.aborted) this.#controller.abort(signal.reason);
      signal.addEventListener('abort', this.#abort, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Until the deadline; negative after it. */
  get remainingMs(): number {
    return this.#deadline - performance.now();
  }

  end(): void {
    clearTimeout(this.#timer);
    for (const signal of this.#outer) signal.removeEventListener('abort', this.#abort);
  }

  readonly #abort = ({ target }: Event): void => {
    this.#controller.abort((target as AbortSignal).reason);
  };
}
