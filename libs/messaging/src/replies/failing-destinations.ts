/** Beyond it, the destination that failed first is forgotten, and tried again before its turn. */
const MAX_REMEMBERED = 20_000;
const FIRST_WAIT_MS = 3_000;
/** With the time of a round, within the ten seconds that are promised after a queue is back. */
const LONGEST_WAIT_MS = 7_000;

/**
 * When parked replies last failed, by destination. One that failed waits longer each time, and no destination is tried a
 * second time before all others had their turn, however many rounds that takes.
 */
export class FailingDestinations {
  readonly #failures = new Map<string, { readonly atMs: number; readonly waitMs: number }>();
  #roundMs = 0;
  /** Between the last two turns: a destination whose wait ends before the next one is due now. */
  #intervalMs = 0;
  /** When the first round began of those that try each destination once. */
  #turnMs = 0;

  /** @param isContinued whether the round before left destinations that it had no room for */
  begin(nowMs: number, isContinued: boolean): void {
    this.#roundMs = nowMs;
    if (isContinued) return;
    this.#intervalMs = nowMs - this.#turnMs;
    this.#turnMs = nowMs;
  }

  /** Whether this round may try a destination; the same throughout the round, so that replies keep their order. */
  isDue(destination: string): boolean {
    const failure = this.#failures.get(destination);
    if (failure === undefined) return true;
    return failure.atMs < this.#turnMs && this.#roundMs + this.#intervalMs >= failure.atMs + failure.waitMs;
  }

  failed(destination: string, atMs: number): void {
    const beforeMs = this.#failures.get(destination)?.waitMs ?? FIRST_WAIT_MS / 2;
    const failure = { atMs, waitMs: Math.min(2 * beforeMs, LONGEST_WAIT_MS) };
    this.#failures.set(destination, failure);
    if (this.#failures.size <= MAX_REMEMBERED) return;
    const [first = ''] = this.#failures.keys();
    this.#failures.delete(first);
  }

  delivered(destination: string): void {
    this.#failures.delete(destination);
  }
}
