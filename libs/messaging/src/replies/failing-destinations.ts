/** Beyond this number, the destination that failed first is forgotten, and retried before its turn. */
const MAX_REMEMBERED = 20_000;
const FIRST_WAIT_MS = 3_000;
/** Together with the delay of a round, less than the ten seconds promised after a queue exists again. */
const LONGEST_WAIT_MS = 8_000;
/** The time by which a destination may be retried early, so that few rounds cover all destinations. */
const EARLY_MS = 3_000;

/**
 * Remembers when parked replies last failed, by destination. A failing destination waits longer each time. No
 * destination is tried a second time before all others had their turn, even if that takes several rounds.
 */
export class FailingDestinations {
  readonly #failures = new Map<string, { readonly atMs: number; readonly waitMs: number }>();
  #roundMs = 0;
  /** The start of the current turn: the rounds that try each destination once. */
  #turnMs = 0;
  #latestMs = 0;
  /** How much earlier than planned a destination may be tried: at least the duration of the last turn. */
  #earlyMs = EARLY_MS;
  #nextMs = 0;

  /** When the next round is due. Replies that no worker can forward now are looked at again, too. */
  get nextMs(): number {
    return this.#nextMs;
  }

  /**
   * Begins a round.
   *
   * @param isContinued true if the previous round had no room for some destinations
   */
  begin(nowMs: number, isContinued: boolean): void {
    this.#roundMs = nowMs;
    this.#nextMs = nowMs + LONGEST_WAIT_MS;
    if (isContinued) return;
    this.#earlyMs = Math.max(EARLY_MS, this.#latestMs - this.#turnMs);
    this.#turnMs = nowMs;
  }

  /**
   * True if this round may try the destination. The answer is the same for the whole round, so that replies
   * keep their order.
   */
  isDue(destination: string): boolean {
    const failure = this.#failures.get(destination);
    if (failure === undefined) return true;
    const dueMs = failure.atMs + failure.waitMs;
    if (failure.atMs < this.#turnMs && this.#roundMs + this.#earlyMs >= dueMs) return true;
    this.#nextMs = Math.min(this.#nextMs, dueMs);
    return false;
  }

  failed(destination: string, atMs: number): void {
    const beforeMs = this.#failures.get(destination)?.waitMs ?? FIRST_WAIT_MS / 2;
    const failure = { atMs, waitMs: Math.min(2 * beforeMs, LONGEST_WAIT_MS) };
    this.#failures.set(destination, failure);
    this.#latestMs = atMs;
    this.#nextMs = Math.min(this.#nextMs, atMs + failure.waitMs);
    if (this.#failures.size <= MAX_REMEMBERED) return;
    const [first = ''] = this.#failures.keys();
    this.#failures.delete(first);
  }

  delivered(destination: string): void {
    this.#failures.delete(destination);
  }
}
