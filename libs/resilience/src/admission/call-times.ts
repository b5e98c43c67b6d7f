/** The weight of the latest call in the mean: about the last ten calls count. */
const WEIGHT = 0.1;
/** The weight of a call that ended so long after the one before. */
const WEIGHT_AFTER_PAUSE = 0.5;
const PAUSE_MS = 2_000;
/** A call that was cut off shows a platform that hangs after this long, if no call was ever answered. */
const HANGS_AFTER_MS = 1_000;

/** Fewer answers without a pause between them do not tell how long the next one takes. */
const TELLING_CALLS = 16;

/** How long the calls of one operation take, as exponentially weighted means. */
export class CallTimes {
  #answeredMs: number | undefined;
  #deviationMs = 0;
  #endedMs: number | undefined;
  /** Answers since the last pause; enough of them are not forgotten. */
  #answers = 0;

  /** What calls can be expected to take, in milliseconds; 0 until there were enough answers to tell. */
  get tellingMs(): number {
    return this.#answers < TELLING_CALLS ? 0 : this.expectedMs;
  }

  /** The mean time of answered calls, in milliseconds; 0 until one was answered. */
  get expectedMs(): number {
    return this.#answeredMs ?? 0;
  }

  /** The mean time of all calls, also of those that were cut off, in milliseconds; 0 until one has ended. */
  get meanMs(): number {
    return this.#endedMs ?? 0;
  }

  /** @param pauseMs since the call before it ended */
  ended(durationMs: number, isAnswered: boolean, pauseMs: number): void {
    const weight = pauseMs < PAUSE_MS ? WEIGHT : WEIGHT_AFTER_PAUSE;
    this.#endedMs = towards(this.#endedMs, durationMs, weight);
    if (!isAnswered) return;
    const isForgotten = pauseMs >= PAUSE_MS && this.#answers < TELLING_CALLS;
    this.#answers = isForgotten ? 1 : this.#answers + 1;
    if (this.#answeredMs !== undefined) {
      const deviationMs = Math.abs(durationMs - this.#answeredMs);
      this.#deviationMs = towards(this.#deviationMs, deviationMs, weight);
    }
    this.#answeredMs = towards(this.#answeredMs, durationMs, weight);
  }

  /** True if a call without an answer after this time shows that the platform does not answer as it did. */
  isOverdue(durationMs: number): boolean {
    if (this.#answeredMs === undefined) return durationMs >= HANGS_AFTER_MS;
    return durationMs >= this.#answeredMs + 2 * this.#deviationMs;
  }
}

function towards(mean: number | undefined, value: number, weight: number): number {
  return mean === undefined ? value : mean + weight * (value - mean);
}
