import type { ErrorCode } from '#contracts';
import type { CommandFacts, ParkingReason } from '#messaging';
import type { CircuitState, Operation } from '#platform';

/** The last ones of a kind. Their names come from outside: any number of them may be made up. */
const MAX_OPERATORS = 5;

/** Since the start of the worker. */
export interface Tally {
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly lastAtMs: number;
}

/** Failures that have the same code, type and end. */
export interface Failure {
  readonly code: ErrorCode;
  /** `unknown` if no such command exists. */
  readonly type: string;
  /** Whether the caller was answered, or the report is tried again later. */
  readonly end: 'answered' | 'postponed';
  count: number;
  /** Milliseconds since the epoch. */
  readonly firstAtMs: number;
  lastAtMs: number;
  /** The last ones, as the commands name them. */
  operators: readonly string[];
}

/**
 * What went wrong since the start, counted by kind and without an id: a flood of one failure does not hide another. There
 * are no more kinds than the catalogue of errors has. A command that succeeds costs nothing here.
 */
export class FailureTally {
  readonly #failures = new Map<string, Failure>();
  readonly #deadLetters = new Map<ErrorCode, Tally>();
  readonly #parked = new Map<ParkingReason, Tally>();
  readonly #openCircuits = new Map<string, number>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
  }

  /** The latest first. */
  get failures(): readonly Readonly<Failure>[] {
    return [...this.#failures.values()].toSorted((a, b) => b.lastAtMs - a.lastAtMs);
  }

  /** By reason. */
  get deadLetters(): ReadonlyMap<ErrorCode, Tally> {
    return this.#deadLetters;
  }

  /** Replies and announcements, by reason. */
  get parked(): ReadonlyMap<ParkingReason, Tally> {
    return this.#parked;
  }

  failed({ type, operator }: CommandFacts, code: ErrorCode, end: Failure['end']): void {
    const key = `${code} ${type} ${end}`;
    const lastAtMs = this.#nowMs();
    const failure = this.#failures.get(key);
    if (!failure) {
      const firstAtMs = lastAtMs;
      this.#failures.set(key, { code, type, end, count: 1, firstAtMs, lastAtMs, operators: [operator] });
      return;
    }
    failure.count += 1;
    failure.lastAtMs = lastAtMs;
    if (failure.operators[0] === operator) return;
    const others = failure.operators.filter((name) => name !== operator);
    failure.operators = [operator, ...others].slice(0, MAX_OPERATORS);
  }

  deadLettered(code: ErrorCode): void {
    this.#deadLetters.set(code, this.#counted(this.#deadLetters.get(code)));
  }

  replyParked(reason: ParkingReason): void {
    this.#parked.set(reason, this.#counted(this.#parked.get(reason)));
  }

  circuitChanged(operator: string, operation: Operation, state: CircuitState): void {
    const key = `${operation} ${operator}`;
    if (state === 'closed') this.#openCircuits.delete(key);
    else if (!this.#openCircuits.has(key)) this.#openCircuits.set(key, this.#nowMs());
  }

  /** When a circuit was last closed, in milliseconds since the epoch; undefined while it is. */
  openSinceMs(operator: string, operation: string): number | undefined {
    return this.#openCircuits.get(`${operation} ${operator}`);
  }

  #counted(before: Tally | undefined): Tally {
    return { count: (before?.count ?? 0) + 1, lastAtMs: this.#nowMs() };
  }
}
