import type { Clock, Random } from '../clock.ts';

/** How one attempt of a call ended. */
export interface AttemptOutcome {
  /**
   * `answered` is for good, `transient` a failure that is expected to pass. Of a request that was `not-sent`, the other side
   * knows nothing; what it did is `unknown` if it was sent and not answered completely. `rejected` is on this side, for example
   * by an open circuit: nothing was attempted. `expired`: the deadline passed.
   */
  readonly kind: 'answered' | 'transient' | 'not-sent' | 'unknown' | 'rejected' | 'expired';
  /** Of what is transient. */
  readonly retryAfterMs?: number | undefined;
}

/** Is it retryable? What may have been done is, as far as the operation allows. */
const RETRYABLE: ReadonlySet<AttemptOutcome['kind']> = new Set(['transient', 'not-sent', 'unknown']);

const BASE_MS = 200;
const CAP_MS = 5000;
/** A longer pause is the caller's to make: a command that waits here takes the place of another one in flight. */
const MAX_PAUSE_MS = 30_000;

/** How often an operation may be attempted again after an attempt whose outcome is unknown: with `once`, two attempts at most. */
export type RepeatAfterUnknown = 'freely' | 'once';

export interface RetryRules {
  /** The first one included. */
  readonly maxAttempts: number;
  readonly budget: RetryBudget;
  readonly random: Random;
}

/** What follows an attempt: another one after a pause, or the end of the call. */
export type Next<Outcome> = { readonly retryInMs: number } | { readonly outcome: Outcome };

/** The attempts of one call: whether another one may follow, and what the call ends with if none does. */
export class Attempts<Outcome extends AttemptOutcome> {
  count = 0;
  /** Those whose outcome is unknown. */
  unknown = 0;
  #outcome: Outcome | undefined;

  constructor(
    private readonly rules: RetryRules,
    private readonly repeatAfterUnknown: RepeatAfterUnknown,
  ) {}

  /**
   * An attempt has ended. If it was rejected, or not sent after one whose outcome is unknown, the outcome before it says more,
   * and remains that of the call.
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
    // Exponential, with full jitter, so that calls which failed together do not come back together.
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
 * How often? A token bucket of retries: they never multiply the load on what is failing, and an empty bucket does not stay
 * empty. It begins full, with 100 retries; a success gives back a fifth of one, a second gives back one.
 */
export class RetryBudget {
  #tokens = CAPACITY;
  #refilledAtMs: number;

  constructor(private readonly clock: Clock) {
    this.#refilledAtMs = clock();
  }

  /** Retries that are left, 0 to 100; below 1 none can be taken. */
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
