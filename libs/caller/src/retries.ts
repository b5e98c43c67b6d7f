import type { CommandType } from '@poker-bridge/contracts';

import type { CallerError, CallerErrorCode } from './caller-error.ts';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
const CAPACITY = 100;
const PER_SUCCESS = 0.2;
const PER_SECOND = 1;
/** The weight of the latest call in the mean of recent ones. */
const WEIGHT = 0.2;

/** Rules for retrying a failed call. */
export interface RetryOptions {
  /**
   * Maximum number of attempts, including the first. Default: as many as the deadline and the retry budget
   * allow.
   */
  readonly maxAttempts?: number | undefined;
  /** Codes that end the call immediately although they are retryable, for example `['CIRCUIT_OPEN']`. */
  readonly failFastOn?: readonly CallerErrorCode[] | undefined;
}

/** A retry, or the end of a call or report. */
export interface CallEvent {
  readonly outcome: 'retrying' | 'succeeded' | 'failed';
  readonly type: CommandType;
  readonly commandId: string;
  /** Attempts so far, at least 1. */
  readonly attempts: number;
  /** Milliseconds since the call began. */
  readonly durationMs: number;
  /** The error code of the failure; `undefined` after a success, an abort or `break`. */
  readonly code: CallerErrorCode | undefined;
  /** Milliseconds until the next attempt; `undefined` unless the outcome is `retrying`. */
  readonly pauseMs: number | undefined;
}

/** The properties of a failed attempt that decide about its retry. */
export interface FailedAttempt {
  readonly type: string;
  readonly error: CallerError;
  /** Attempts so far, at least 1. */
  readonly attempts: number;
  readonly remainingMs: number;
  readonly rules: RetryOptions | boolean;
}

/** Returns an exponential backoff with full jitter, in milliseconds. */
export function backoffMs(attempts: number, random: () => number = Math.random): number {
  return random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1));
}

/**
 * Decides about the retries of all calls of one caller, so that they add little load to an overloaded worker.
 * The budget is a token bucket of 100 retries; each success returns a fifth of a retry, and each second
 * returns one.
 */
export class Retries {
  readonly #clock: () => number;
  readonly #random: () => number;
  readonly #meanMs = new Map<string, number>();
  #tokens = CAPACITY;
  #refilledAtMs: number;

  constructor(clock: () => number = () => performance.now(), random: () => number = Math.random) {
    this.#clock = clock;
    this.#random = random;
    this.#refilledAtMs = clock();
  }

  /** Records a success. @param tookMs milliseconds from the latest publish to the reply */
  succeeded(type: string, tookMs: number): void {
    this.#add(PER_SUCCESS);
    const meanMs = this.#meanMs.get(type) ?? tookMs;
    this.#meanMs.set(type, meanMs + WEIGHT * (tookMs - meanMs));
  }

  /**
   * Returns the pause before the next attempt: at least `retryAfterMs`, plus jitter. Returns `undefined` if
   * the failure is permanent, if the rules or the budget allow no retry, or if the reply would arrive after
   * the deadline.
   */
  pauseMs({ type, error, attempts, remainingMs, rules }: FailedAttempt): number | undefined {
    const { maxAttempts = Infinity, failFastOn = [] } = typeof rules === 'object' ? rules : {};
    if (rules === false || !error.retryable || attempts >= maxAttempts || failFastOn.includes(error.code))
      return;
    const pauseMs = (error.retryAfterMs ?? 0) + backoffMs(attempts, this.#random);
    if (pauseMs + (this.#meanMs.get(type) ?? 0) >= remainingMs) return;
    // A lost reply is no sign of load, because the worker answers the repeat from its memory; it costs no
    // token.
    return !error.answer || this.#take() ? pauseMs : undefined;
  }

  #take(): boolean {
    const nowMs = this.#clock();
    this.#add(((nowMs - this.#refilledAtMs) / 1_000) * PER_SECOND);
    this.#refilledAtMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  #add(tokens: number): void {
    this.#tokens = Math.min(CAPACITY, this.#tokens + tokens);
  }
}
