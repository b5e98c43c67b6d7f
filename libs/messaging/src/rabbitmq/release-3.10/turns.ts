type Work = () => Promise<void>;

/** Does one piece of work at a time. Callers take turns, so that the next one of each waits for one of every other. */
export class Turns {
  /** What waits, by caller; the first caller is next. */
  readonly #waiting = new Map<string, Work[]>();
  #isBusy = false;

  /** How much of a caller waits; what is being done is not counted. */
  waitingOf(caller: string): number {
    return this.#waiting.get(caller)?.length ?? 0;
  }

  /** Settles as the work does. */
  run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const own = this.#waiting.get(caller) ?? [];
    own.push(() => work().then(resolve, reject));
    this.#waiting.set(caller, own);
    if (!this.#isBusy) void this.#work();
    return promise;
  }

  /** Goes round: a caller who has more waiting comes to the end, where this loop still finds it. */
  async #work(): Promise<void> {
    this.#isBusy = true;
    for (const [caller, own] of this.#waiting) {
      await own.shift()?.();
      this.#waiting.delete(caller);
      if (own.length > 0) this.#waiting.set(caller, own);
    }
    this.#isBusy = false;
  }
}
