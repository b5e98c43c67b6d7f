import type { Clock } from '../clock.ts';
import { CallTimes } from './call-times.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import { Line } from './line.ts';
import type { Holder } from './shared-capacity.ts';

/** An operation makes no progress if no call was answered for this many times its expected call time. */
const STUCK_AFTER = 1.5;

/** A person waits for an interactive call; nobody waits for a background one. */
export type Priority = 'interactive' | 'background';
/**
 * Why a call is refused under overload: the queue is full, its line stands, or its answer would miss the
 * deadline.
 */
const OVERLOADS = ['queue-full', 'standing-line', 'too-late'] as const;
export type Overload = (typeof OVERLOADS)[number];
export type Admittance = 'admitted' | Overload | 'expired' | 'closed';

export function isOverload(reason: string): reason is Overload {
  return OVERLOADS.includes(reason as Overload);
}

/** The calls of one operation, which tend to be slow or stuck together. */
export class Compartment implements Holder {
  inFlight = 0;
  readonly line: Line<Admittance>;
  readonly limit: ConcurrencyLimit;
  readonly times = new CallTimes();
  /** When one of the calls last ended, or when a call last entered an empty compartment. */
  movedAtMs = 0;
  endedAtMs = -Infinity;
  answeredAtMs = -Infinity;

  constructor(
    readonly priority: Priority,
    connections: number,
    private readonly clock: Clock,
    timeOfDay: Clock,
  ) {
    this.line = new Line(clock);
    this.limit = new ConcurrencyLimit(connections, clock, timeOfDay);
  }

  /**
   * Current duration of a call in milliseconds: the recent mean, or the time since the last call ended if
   * that is longer.
   */
  get callMs(): number {
    const sinceMs = this.inFlight > 0 ? this.clock() - this.movedAtMs : 0;
    return Math.max(this.times.meanMs, sinceMs);
  }

  /** True if calls are answered as they usually are. */
  get isMoving(): boolean {
    return this.clock() - this.answeredAtMs < STUCK_AFTER * this.times.expectedMs;
  }
}
