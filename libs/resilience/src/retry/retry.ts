import type { Clock, Random } from '../clock.ts';

/** How one attempt of a call ended. */
export interface AttemptOutcome {
  /**
   * `answered` is a final answer, `transient` a failure that is expected to pass. With `not-sent`, the
   * request did not reach the other side; with `unknown`, it was sent but not answered completely, so the
   * other side may have acted on it. `rejected`: this side made no attempt, for example because the circuit
   * is open. `expired`: the deadline passed.
   */
  readonly kind: 'answered' | 'transient' | 'not-sent' | 'unknown' | 'rejected' | 'expired';
  /** The wait that the other side asked for after a `transient` failure. */
  readonly retryAfterMs?: number | undefined;
}

/** The retryable outcomes; `unknown` is retried only as far as the operation allows. */
const RETRYABLE: ReadonlySet<AttemptOutcome['kind']> = new Set(['transient', 'not-sent', 'unknown']);

const BASE_MS = 200;
const CAP_MS = 5000;
/**
 * The caller must wait out longer pauses itself, because a command that waits here occupies a place in
 * flight.
 */
const MAX_PAUSE_MS = 30_000;

/**
 * How often an operation may be retried after an attempt with an unknown outcome; `once` allows two attempts
 * at most.
 */
export type RepeatAfterUnknown = 'freely' | 'once';

export interface RetryRules {
  /** Includes the first attempt. */
  readonly maxAttempts: number;
  readonly budget: RetryBudget;
  readonly random: Random;
}

/** The step after an attempt: another attempt after a pause, or the end of the call. */
export type Next<Outcome> = { readonly retryInMs: number } | { readonly outcome: Outcome };

/**
 * Counts the attempts of one call and decides whether another may follow. If none may, it returns the outcome
 * of the call.
 */
export class Attempts<Outcome extends AttemptOutcome> {
  count = 0;
  /** Attempts with an unknown outcome. */
  unknown = 0;
  #outcome: Outcome | undefined;

  constructor(
    private readonly rules: RetryRules,
    private readonly repeatAfterUnknown: RepeatAfterUnknown,
  ) {}

  /**
   * Records the end of an attempt. If it was rejected, or if it was not sent after an attempt with an unknown
   * outcome, the previous outcome is more informative and remains the outcome of the call.
   *
   * @returns when the next attempt starts, or the outcome of the call if none may follow
   */
  next(last: Outcome, remainingMs: number): Next<Outcome> {
    const { maxAttempts, budget, random } = this.rules;
    const before = this.#outcome;
    const saysLess = last.kind === 'rejected' || (last.kind === 'not-sent' && before?.kind === 'unknown');
    const outcome = saysLess ? (before ?? last) : last;
    this.#outcome = outcome;
    this.count += 1;
    if (last.kind === 'answered') budget.succeeded();
    if (last.kind === 'unknown') this.unknown += 1;
    const mayRepeat = this.repeatAfterUnknown === 'freely' || this.unknown === 0 || this.count < 2;
    if (this.count >= maxAttempts || !mayRepeat || !RETRYABLE.has(last.kind)) return { outcome };
    // Exponential, with full jitter, so that calls that failed together are not retried together.
    const backoffMs = random() * Math.min(CAP_MS, BASE_MS * 2 ** (this.count - 1));
    const pauseMs = (last.retryAfterMs ?? 0) + backoffMs;
    const isInTime = pauseMs < remainingMs && pauseMs <= MAX_PAUSE_MS;
    return isInTime && budget.spend() ? { retryInMs: pauseMs } : { outcome };
  }
}

const CAPACITY = 100;
const PER_SUCCESS = 0.2;
const PER_SECOND = 1;

/**
 * Limits retries by a token bucket, so that they never multiply the load on a failing platform. The bucket
 * starts full, with 100 retries. Each success returns a fifth of a retry, and each second returns one, so an
 * empty bucket refills.
 */
export class RetryBudget {
  #tokens = CAPACITY;
  #refilledAtMs: number;

  constructor(private readonly clock: Clock) {
    this.#refilledAtMs = clock();
  }

  /** Remaining retries, 0 to 100; below 1, no retry is allowed. */
  get left(): number {
    const nowMs = this.clock();
    this.#add(((nowMs - this.#refilledAtMs) / 1000) * PER_SECOND);
    this.#refilledAtMs = nowMs;
    return this.#tokens;
  }

  /** Spends one retry. Returns false if the budget is empty. */
  spend(): boolean {
    const isAvailable = this.left >= 1;
    if (isAvailable) this.#tokens -= 1;
    return isAvailable;
  }

  succeeded(): void {
    this.#add(PER_SUCCESS);
  }

  #add(tokens: number): void {
    this.#tokens = Math.min(CAPACITY, this.#tokens + tokens);
  }
}
