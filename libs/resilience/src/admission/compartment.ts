import type { Clock } from '../clock.ts';
import { CallTimes } from './call-times.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import { Line } from './line.ts';
import type { Holder } from './shared-capacity.ts';

/** An operation of which no call was answered for so many times the time of one does not move. */
const STUCK_AFTER = 1.5;

/** A person waits for an interactive call; nobody waits for a background one. */
export type Priority = 'interactive' | 'background';
/** Why a call is refused under overload: the queue is full, its line stands, or its answer would come after its deadline. */
const OVERLOADS = ['queue-full', 'standing-line', 'too-late'] as const;
export type Overload = (typeof OVERLOADS)[number];
export type Admittance = 'admitted' | Overload | 'expired' | 'closed';

export function isOverload(reason: string): reason is Overload {
  return OVERLOADS.includes(reason as Overload);
}

/** The calls of one operation, which are slow or stuck together. */
export class Compartment implements Holder {
  inFlight = 0;
  readonly line: Line<Admittance>;
  readonly limit: ConcurrencyLimit;
  readonly times = new CallTimes();
  /** When one of its calls last ended, or entered as the only one. */
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

  /** How long a call takes at present: as recent ones did, or as long as none has ended. In milliseconds. */
  get callMs(): number {
    const sinceMs = this.inFlight > 0 ? this.clock() - this.movedAtMs : 0;
    return Math.max(this.times.meanMs, sinceMs);
  }

  /** True if calls are answered as they usually are. */
  get isMoving(): boolean {
    return this.clock() - this.answeredAtMs < STUCK_AFTER * this.times.expectedMs;
  }
}
