import type { Deadline } from '#resilience';

/** What became of a report that asked for a place. */
export type Turn = 'entered' | 'stuck' | 'expired';

interface Held {
  places: number;
  /** When a report of the operator last sent a page or left, or entered as the only one. */
  movedAtMs: number;
}

interface Waiter {
  readonly operator: string;
  readonly mayLeave: () => boolean;
  readonly settle: (turn: Turn) => void;
}

/** An operator that has not moved for longer is stuck; no platform that is well takes so long for a page. */
const PATIENCE_MS = 2_000;
const LOOK_MS = 250;

/**
 * The places of the reports of one worker. No operator holds more of them than it leaves free. Beyond its share a report
 * waits for its turn while its operator moves. If that is stuck, the report is sent away, so that it does not keep those
 * behind it from being delivered.
 */
export class ReportPlaces {
  readonly #nowMs: () => number;
  /** By operator. */
  readonly #held = new Map<string, Held>();
  readonly #waiting = new Set<Waiter>();
  #free: number;
  #timer: NodeJS.Timeout | undefined;

  /** @param size reports that may be in flight; one operator runs half of them */
  constructor(size: number, nowMs: () => number) {
    this.#free = size;
    this.#nowMs = nowMs;
  }

  /**
   * Each report that has `entered` ends with one `leave`.
   *
   * @param mayLeave whether the report could wait elsewhere
   */
  enter(operator: string, deadline: Deadline, mayLeave: () => boolean): Turn | Promise<Turn> {
    if (this.#hasRoomFor(operator)) return this.#take(operator);
    if (this.#isStuck(operator) && mayLeave()) return 'stuck';
    return new Promise((resolve) => {
      const waiter: Waiter = {
        operator,
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

  /** A report shows that nothing holds its operator up. */
  moved(operator: string): void {
    const held = this.#held.get(operator);
    if (held) held.movedAtMs = this.#nowMs();
  }

  leave(operator: string): void {
    this.#free += 1;
    const held = this.#held.get(operator);
    if (held?.places === 1) this.#held.delete(operator);
    else if (held) {
      held.places -= 1;
      held.movedAtMs = this.#nowMs();
    }
    for (const waiter of this.#waiting) {
      if (this.#hasRoomFor(waiter.operator)) waiter.settle(this.#take(waiter.operator));
    }
  }

  #hasRoomFor(operator: string): boolean {
    return (this.#held.get(operator)?.places ?? 0) < this.#free;
  }

  #take(operator: string): Turn {
    this.#free -= 1;
    const held = this.#held.get(operator);
    if (held) held.places += 1;
    else this.#held.set(operator, { places: 1, movedAtMs: this.#nowMs() });
    return 'entered';
  }

  /** Whether an operator that holds its share has not moved for long. */
  #isStuck(operator: string): boolean {
    const held = this.#held.get(operator);
    return held !== undefined && this.#nowMs() - held.movedAtMs > PATIENCE_MS;
  }

  #look(): void {
    for (const waiter of this.#waiting) {
      if (this.#isStuck(waiter.operator) && waiter.mayLeave()) waiter.settle('stuck');
    }
  }
}
