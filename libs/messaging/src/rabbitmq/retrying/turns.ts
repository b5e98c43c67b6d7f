import type { Deadline } from '#resilience';

/** How long a message may take from its turn to its delivery; if another process gets it, the next one's turn begins then. */
const ARRIVES_WITHIN_MS = 250;

interface Waiter {
  readonly starts: number;
  readonly deadline: Deadline;
  readonly begin: () => void;
}

/**
 * Lets messages run one at a time, each of which may kill the process. A turn is taken before the copy that counts the start
 * is published, and begins when that is delivered, here or in another process; not before the original is settled, which
 * would otherwise come back beside its copy.
 */
export class Turns {
  readonly #waiting = new Set<Waiter>();
  #state: 'free' | 'taken' | 'running' = 'free';
  #moving: PromiseWithResolvers<void> | undefined;
  #arrival: NodeJS.Timeout | undefined;

  /**
   * Waits for a turn: one with fewer starts goes first, so that the one that kills goes last, then the earliest deadline.
   *
   * @returns false if the deadline passes before it; else `moved` follows
   */
  take(starts: number, deadline: Deadline): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        starts,
        deadline,
        begin: () => {
          unsubscribe();
          resolve(true);
        },
      };
      this.#waiting.add(waiter);
      const unsubscribe = deadline.onExpired(() => {
        this.#waiting.delete(waiter);
        resolve(false);
      });
      this.#next();
    });
  }

  /** What has the turn was moved, and the original is settled. */
  moved(): void {
    this.#moving?.resolve();
    this.#moving = undefined;
    if (this.#state === 'taken') this.#arrival = setTimeout(() => this.end(), ARRIVES_WITHIN_MS).unref();
  }

  /** One was delivered. False if another one runs; else `end` follows once it is settled. */
  async begin(): Promise<boolean> {
    if (this.#state === 'running') return false;
    clearTimeout(this.#arrival);
    this.#state = 'running';
    await this.#moving?.promise;
    return true;
  }

  end(): void {
    this.#state = 'free';
    this.#next();
  }

  #next(): void {
    if (this.#state !== 'free' || this.#waiting.size === 0) return;
    const waiter = [...this.#waiting].reduce((first, next) => (isBefore(next, first) ? next : first));
    this.#waiting.delete(waiter);
    this.#state = 'taken';
    this.#moving = Promise.withResolvers();
    waiter.begin();
  }
}

function isBefore(a: Waiter, b: Waiter): boolean {
  return a.starts === b.starts ? a.deadline.atMs < b.deadline.atMs : a.starts < b.starts;
}
