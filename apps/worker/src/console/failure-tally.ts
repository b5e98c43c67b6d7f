import type { ErrorCode } from '#contracts';
import type { CommandFacts, FailureFacts } from '#messaging';

/** The most recent operators of a kind. Callers choose these names, so their number has no other bound. */
const MAX_OPERATORS = 5;
const MAX_CHANGES = 100;

/** Failures that have the same code, type and end. */
export interface Failure {
  readonly code: ErrorCode;
  /** `unknown` if no such command exists. */
  readonly type: string;
  /** Whether the caller was answered, or the report is tried again later. */
  readonly end: 'answered' | 'postponed';
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  /** The last ones, as the commands name them. */
  readonly operators: readonly string[];
  /** The last command: its id, and what the log says about it. */
  readonly last: Pick<CommandFacts, 'id' | 'traceId'> & Partial<FailureFacts>;
}

/** A circuit or the broker failed, or recovered. */
interface Change {
  readonly name: string;
  readonly isTrouble: boolean;
  readonly atMs: number;
}

/**
 * Counts the failures since the start by kind, with the last of each: a flood of one failure does not hide another.
 * There are no more kinds than the catalogue of errors has. A command that succeeds costs nothing here.
 */
export class FailureTally {
  /** In the order of their last failure. */
  readonly #failures = new Map<string, Failure>();
  /** Since when each circuit and each connection to the broker is in trouble. */
  readonly #troubles = new Map<string, number>();
  readonly #changes: Change[] = [];

  constructor(private readonly nowMs: () => number = Date.now) {}

  /** The latest first. */
  get failures(): readonly Failure[] {
    return [...this.#failures.values()].toReversed();
  }

  /** The most recent changes, the oldest first. */
  get changes(): readonly Change[] {
    return this.#changes;
  }

  latest(type: string, code: ErrorCode): Failure | undefined {
    return this.failures.find((failure) => failure.type === type && failure.code === code);
  }

  failed(command: CommandFacts, code: ErrorCode, end: Failure['end'], failure?: FailureFacts): void {
    const { id, traceId, type, operator } = command;
    const key = `${code} ${type} ${end}`;
    const lastAtMs = this.nowMs();
    const { count = 0, firstAtMs = lastAtMs, operators = [] } = this.#failures.get(key) ?? {};
    const others = operators.filter((name) => name !== operator);
    this.#failures.delete(key);
    this.#failures.set(key, {
      code,
      type,
      end,
      count: count + 1,
      firstAtMs,
      lastAtMs,
      operators: [operator, ...others].slice(0, MAX_OPERATORS),
      last: { id, ...(traceId !== undefined && { traceId }), ...failure },
    });
  }

  /** @param name of a circuit, `operation operator`, or of a connection to the broker */
  troubleChanged(name: string, isTrouble: boolean): void {
    if (isTrouble === this.#troubles.has(name)) return;
    const atMs = this.nowMs();
    if (isTrouble) this.#troubles.set(name, atMs);
    else this.#troubles.delete(name);
    this.#changes.push({ name, isTrouble, atMs });
    if (this.#changes.length > MAX_CHANGES) this.#changes.shift();
  }

  /** Since when one of these has been in trouble, in milliseconds since the epoch; undefined if none is. */
  troubledSinceMs(...names: readonly string[]): number | undefined {
    const since = names.flatMap((name) => this.#troubles.get(name) ?? []);
    return since.length > 0 ? Math.min(...since) : undefined;
  }
}
