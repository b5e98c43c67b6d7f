import { type Compartment, compartmentKey, type ErrorCode } from '#contracts';
import type { CommandFacts, FailureFacts } from '#messaging';

/** Most recent operators per kind. The number is limited because callers choose these names. */
const MAX_OPERATORS = 5;
const MAX_CHANGES = 100;

/** Failures with the same code, command type and end. */
export interface Failure {
  readonly code: ErrorCode;
  /** `unknown` if no such command exists. */
  readonly type: string;
  /** `answered` if the caller received the error, `postponed` if the report is retried later. */
  readonly end: 'answered' | 'postponed';
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  /** The most recent operators, as named in the commands. */
  readonly operators: readonly string[];
  /** The last failed command: its ids, and the failure as in the log. */
  readonly last: Pick<CommandFacts, 'id' | 'traceId'> & Partial<FailureFacts>;
}

/** A connection to the broker, or a circuit. */
type Troubled = 'consuming' | 'publishing' | Compartment;

/** A failure or recovery of a circuit or a broker connection. */
interface Change {
  /** Undefined for a broker connection. */
  readonly circuit: Compartment | undefined;
  readonly isTrouble: boolean;
  readonly atMs: number;
}

/**
 * Counts failures since startup by kind, and keeps the last failure of each, so that a flood of one kind does
 * not hide another. The error catalogue limits the number of kinds. Successful commands cost nothing here.
 */
export class FailureTally {
  /** Ordered by the last failure. */
  readonly #failures = new Map<string, Failure>();
  /** Start of the current trouble of each circuit and broker connection, in epoch milliseconds. */
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

  troubleChanged(troubled: Troubled, isTrouble: boolean): void {
    const key = keyOf(troubled);
    if (isTrouble === this.#troubles.has(key)) return;
    const atMs = this.nowMs();
    if (isTrouble) this.#troubles.set(key, atMs);
    else this.#troubles.delete(key);
    this.#changes.push({ circuit: typeof troubled === 'string' ? undefined : troubled, isTrouble, atMs });
    if (this.#changes.length > MAX_CHANGES) this.#changes.shift();
  }

  /**
   * Returns the earliest start of the current troubles of these, in epoch milliseconds; undefined if all are
   * well.
   */
  troubledSinceMs(...troubled: readonly Troubled[]): number | undefined {
    const since = troubled.flatMap((each) => this.#troubles.get(keyOf(each)) ?? []);
    return since.length > 0 ? Math.min(...since) : undefined;
  }
}

function keyOf(troubled: Troubled): string {
  return typeof troubled === 'string' ? troubled : compartmentKey(troubled);
}
