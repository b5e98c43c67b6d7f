/** The weight of the latest call in the mean: about the last ten calls count. */
const WEIGHT = 0.1;
/** The weight of a call that ended at least `PAUSE_MS` after the previous one. */
const WEIGHT_AFTER_PAUSE = 0.5;
const PAUSE_MS = 2_000;
/** If no call was ever answered, a call without an answer after this time shows that the platform hangs. */
const HANGS_AFTER_MS = 1_000;

/** Fewer answers without a pause between them do not predict how long the next call takes. */
const TELLING_CALLS = 16;

/** How long the calls of one operation take, as exponentially weighted means. */
export class CallTimes {
  #answeredMs: number | undefined;
  #deviationMs = 0;
  #endedMs: number | undefined;
  /** Answers since the last pause; a pause does not reset the count once it has reached `TELLING_CALLS`. */
  #answers = 0;

  /** The expected duration of a call in milliseconds; 0 until enough calls were answered to predict it. */
  get tellingMs(): number {
    return this.#answers < TELLING_CALLS ? 0 : this.expectedMs;
  }

  /** The mean duration of answered calls in milliseconds; 0 until a call was answered. */
  get expectedMs(): number {
    return this.#answeredMs ?? 0;
  }

  /** The mean duration of all calls in milliseconds, including those cut off; 0 until a call has ended. */
  get meanMs(): number {
    return this.#endedMs ?? 0;
  }

  /** @param pauseMs milliseconds since the previous call ended */
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

  /** True if a call without an answer after this time shows that the platform has become slower. */
  isOverdue(durationMs: number): boolean {
    if (this.#answeredMs === undefined) return durationMs >= HANGS_AFTER_MS;
    return durationMs >= this.#answeredMs + 2 * this.#deviationMs;
  }
}

function towards(mean: number | undefined, value: number, weight: number): number {
  return mean === undefined ? value : mean + weight * (value - mean);
}
