import { setImmediate as turn } from 'node:timers/promises';

/**
 * How long commands with large bodies may start within one turn of the event loop; a single one may take
 * longer.
 */
const SLICE_MS = 1;

/**
 * Queues large bodies as bytes until their turn: a few in each turn of the event loop, callers in rotation. A
 * caller that sends many of them delays neither ordinary commands nor the large ones of another caller for
 * long.
 */
export class LargeBodies {
  /** Keyed by caller, in the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /**
   * Starts work that reads a large body when its turn comes.
   *
   * @throws the error of the work
   */
  read<T>(caller: string, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve) => {
      const isIdle = this.#waiting.size === 0;
      const waiting = this.#waiting.get(caller) ?? [];
      waiting.push(() => resolve(work()));
      this.#waiting.set(caller, waiting);
      if (isIdle) void this.#serve();
    });
  }

  async #serve(): Promise<void> {
    let endsAtMs = -Infinity;
    // A caller that is added again goes last.
    for (const [caller, waiting] of this.#waiting) {
      if (performance.now() >= endsAtMs) {
        await turn();
        endsAtMs = performance.now() + SLICE_MS;
      }
      waiting.shift()?.();
      this.#waiting.delete(caller);
      if (waiting.length > 0) this.#waiting.set(caller, waiting);
    }
  }
}
