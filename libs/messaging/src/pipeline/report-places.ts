import type { Deadline } from '#resilience';

/** What became of a report that asked for a place. */
export type Turn = 'entered' | 'stuck' | 'expired';

interface Held {
  places: number;
  /** When a report of the compartment last left, or entered as the only one. */
  leftAtMs: number;
  /** When one last left or sent a page. */
  movedAtMs: number;
}

interface Waiter {
  readonly compartment: string;
  readonly mayLeave: () => boolean;
  readonly settle: (turn: Turn) => void;
}

/** A compartment that has not moved for longer is stuck; no platform that is well takes so long for a page. */
const PATIENCE_MS = 2_000;
const LOOK_MS = 250;
/** Of what is free, how much those may take that wait for long reports to end. */
const CROWD = 1 / 2;

/**
 * The places of the reports of one worker. No compartment, which is one operation of one operator, holds more of them than
 * it leaves free. Beyond its share a report waits for its turn while reports of its compartment end. It is sent away if that
 * is stuck, or if many wait for reports that are long, so that it does not keep those behind it from being delivered.
 */
export class ReportPlaces {
  readonly #nowMs: () => number;
  /** By compartment. */
  readonly #held = new Map<string, Held>();
  readonly #waiting = new Set<Waiter>();
  #free: number;
  #timer: NodeJS.Timeout | undefined;

  /** @param size reports that may be in flight; one compartment runs half of them */
  constructor(size: number, nowMs: () => number) {
    this.#free = size;
    this.#nowMs = nowMs;
  }

  /**
   * Each report that has `entered` ends with one `leave`.
   *
   * @param mayLeave whether the report could wait elsewhere
   */
  enter(compartment: string, deadline: Deadline, mayLeave: () => boolean): Turn | Promise<Turn> {
    if (this.#hasRoomFor(compartment)) return this.#take(compartment);
    if (this.#isInTheWay(compartment) && mayLeave()) return 'stuck';
    return new Promise((resolve) => {
      const waiter: Waiter = {
        compartment,
        mayLeave,
        settle: (turn) => {
          this.#waiting.delete(waiter);
          if (this.#waiting.size === 0) clearInterval(this.#timer);
          unsubscribe();
          resolve(turn);
        },
      };
      if (this.#waiting.size === 0) this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
      this.#waiting.add(waiter);
      const unsubscribe = deadline.onExpired(() => waiter.settle('expired'));
    });
  }

  /** A report shows that its compartment is not stuck. */
  moved(compartment: string): void {
    const held = this.#held.get(compartment);
    if (held) held.movedAtMs = this.#nowMs();
  }

  leave(compartment: string): void {
    this.#free += 1;
    const held = this.#held.get(compartment);
    if (held?.places === 1) this.#held.delete(compartment);
    else if (held) {
      held.places -= 1;
      held.leftAtMs = held.movedAtMs = this.#nowMs();
    }
    for (const waiter of this.#waiting) {
      if (this.#hasRoomFor(waiter.compartment)) waiter.settle(this.#take(waiter.compartment));
    }
  }

  #hasRoomFor(compartment: string): boolean {
    return (this.#held.get(compartment)?.places ?? 0) < this.#free;
  }

  #take(compartment: string): Turn {
    this.#free -= 1;
    const held = this.#held.get(compartment);
    const nowMs = this.#nowMs();
    if (held) held.places += 1;
    else this.#held.set(compartment, { places: 1, leftAtMs: nowMs, movedAtMs: nowMs });
    return 'entered';
  }

  /** Whether what waits for a compartment that holds its share keeps others from being delivered. */
  #isInTheWay(compartment: string): boolean {
    const held = this.#held.get(compartment);
    if (held === undefined) return false;
    const sinceMs = this.#nowMs() - PATIENCE_MS;
    const isStuck = held.movedAtMs < sinceMs;
    return isStuck || (held.leftAtMs < sinceMs && this.#waiting.size >= CROWD * this.#free);
  }

  #look(): void {
    for (const waiter of this.#waiting) {
      if (this.#isInTheWay(waiter.compartment) && waiter.mayLeave()) waiter.settle('stuck');
    }
  }
}
