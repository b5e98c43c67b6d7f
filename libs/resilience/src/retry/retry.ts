import type { Clock, Random } from '../clock.ts';
import type { Deadline } from '../deadline.ts';

const BASE_MS = 200;
const CAP_MS = 5000;

/**
 * How long to wait before the next attempt, in milliseconds: exponential backoff with full jitter, so that calls which
 * failed together do not come back together. The jitter is added to what `Retry-After` asked for.
 *
 * @param attempts so far, from 1
 */
export function backoffMs(attempts: number, retryAfterMs: number | undefined, random: Random): number {
  return (retryAfterMs ?? 0) + random() * Math.min(CAP_MS, BASE_MS * 2 ** (attempts - 1));
}

/**
 * The outcome of one attempt of a call.
 *
 * @template Answer what the other side answered
 * @template Fault why there is no answer
 * @template Refusal why nothing was attempted
 */
export type AttemptOutcome<Answer = unknown, Fault = unknown, Refusal = unknown> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** Answered with a failure that is expected to pass. */
  | { readonly kind: 'transient'; readonly answer: Answer; readonly retryAfterMs: number | undefined }
  /** Not a byte was sent: the other side knows nothing of it. */
  | { readonly kind: 'not-sent'; readonly fault: Fault }
  /** Sent, and not answered completely: nobody here knows what the other side did. */
  | { readonly kind: 'unknown'; readonly fault: Fault }
  /** Rejected on this side, for example by an open circuit: nothing was attempted. */
  | { readonly kind: 'rejected'; readonly refusal: Refusal }
  /** The deadline passed. */
  | { readonly kind: 'expired' };

/** A longer pause is the caller's to make: a command that waits here takes the place of another one in flight. */
const MAX_PAUSE_MS = 30_000;

/** How often an operation may be attempted again after an attempt whose outcome is unknown: with `once`, two attempts at most. */
export type RepeatAfterUnknown = 'freely' | 'once';

export interface RetryRules {
  /** The first one included. */
  readonly maxAttempts: number;
  readonly repeatAfterUnknown: RepeatAfterUnknown;
  readonly budget: RetryBudget;
  readonly random: Random;
  /** Ends a pause early; the attempt after it finds out why. */
  readonly stopping: AbortSignal;
  readonly onRetry: () => void;
}

/** How a call ended, over all its attempts. */
export interface CallEnd<Outcome extends AttemptOutcome> {
  readonly outcome: Outcome;
  /** How many of its attempts have an unknown outcome. */
  readonly unknown: number;
}

/**
 * Attempts a call until it is answered for good, or no further attempt may follow.
 *
 * An attempt that was rejected, or that was not sent after one whose outcome is unknown, does not replace the outcome
 * before it, which says more. A pause that would pass the deadline is not begun.
 */
export async function retry<Outcome extends AttemptOutcome>(
  attempt: () => Outcome | Promise<Outcome>,
  { maxAttempts, repeatAfterUnknown, budget, random, stopping, onRetry }: RetryRules,
  deadline: Deadline,
): Promise<CallEnd<Outcome>> {
  let last = await attempt();
  let outcome = last;
  let unknown = 0;
  for (let attempts = 1; ; attempts += 1) {
    if (last.kind === 'answered') budget.succeeded();
    if (last.kind === 'unknown') unknown += 1;
    const end = { outcome, unknown };
    const mayRepeat = repeatAfterUnknown === 'freely' || unknown === 0 || attempts < 2;
    if (attempts >= maxAttempts || !mayRepeat || !isRetryable(last)) return end;
    const retryAfterMs = last.kind === 'transient' ? last.retryAfterMs : undefined;
    const pauseMs = backoffMs(attempts, retryAfterMs, random);
    if (pauseMs >= deadline.remainingMs() || pauseMs > MAX_PAUSE_MS || !budget.take()) return end;
    onRetry();
    await pause(pauseMs, stopping);
    last = await attempt();
    const saysLess = last.kind === 'rejected' || (last.kind === 'not-sent' && outcome.kind === 'unknown');
    if (!saysLess) outcome = last;
  }
}

/** Waits, at most until `stopping` aborts. Leaves neither a timer nor a listener behind. */
async function pause(durationMs: number, stopping: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const timer = setTimeout(resolve, stopping.aborted ? 0 : durationMs);
  stopping.addEventListener('abort', resolve);
  await promise;
  clearTimeout(timer);
  stopping.removeEventListener('abort', resolve);
}

/** Is it retryable? What was not sent, what failed transiently, and what may have been done, as far as the operation allows. */
function isRetryable({ kind }: AttemptOutcome): boolean {
  return kind === 'not-sent' || kind === 'transient' || kind === 'unknown';
}

const CAPACITY = 100;
const PER_SUCCESS = 0.2;
const PER_SECOND = 1;

/**
 * How often? A token bucket of retries: they never multiply the load on what is failing, and an empty bucket does not stay
 * empty. It begins full, with 100 retries; a success gives back a fifth of one, a second gives back one.
 */
export class RetryBudget {
  readonly #clock: Clock;
  #tokens = CAPACITY;
  #refilledAtMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#refilledAtMs = clock();
  }

  /** Retries that are left, 0 to 100; below 1 none can be taken. */
  get left(): number {
    const nowMs = this.#clock();
    this.#add(((nowMs - this.#refilledAtMs) / 1000) * PER_SECOND);
    this.#refilledAtMs = nowMs;
    return this.#tokens;
  }

  /** Takes one retry. @returns whether there was one */
  take(): boolean {
    const isTaken = this.left >= 1;
    if (isTaken) this.#tokens -= 1;
    return isTaken;
  }

  succeeded(): void {
    this.#add(PER_SUCCESS);
  }

  #add(tokens: number): void {
    this.#tokens = Math.min(CAPACITY, this.#tokens + tokens);
  }
}

const SECONDS = /^\d+$/;
/** The three forms of an HTTP date all begin with the day's name; the oldest has no zone and means GMT. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;
const WITHOUT_ZONE = /\d{4}$/;
/** A longer wait is not believed. */
const MAX_MS = 24 * 60 * 60 * 1000;

/**
 * The wait that a `Retry-After` header asks for, in milliseconds from `nowMs`; at most a day.
 *
 * @returns 0 for a date that has passed, `undefined` if the header is absent or is neither seconds nor a date
 * @see RFC 9110, section 10.2.3
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const value = header?.trim() ?? '';
  if (SECONDS.test(value)) return Math.min(Number(value) * 1000, MAX_MS);
  if (!HTTP_DATE.test(value)) return undefined;
  const atMs = Date.parse(WITHOUT_ZONE.test(value) ? `${value} GMT` : value);
  return Number.isNaN(atMs) ? undefined : Math.min(Math.max(atMs - nowMs, 0), MAX_MS);
}
