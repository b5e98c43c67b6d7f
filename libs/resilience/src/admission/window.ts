import type { Clock } from '../clock.ts';

/** What one compartment of a window holds. */
export interface Holding {
  inFlight: number;
  /** Refused so far. */
  overflowed: number;
  /** When the last one ended, or the first of those in flight began. */
  movedAtMs: number;
  /** How long the last one took that ended. */
  tookMs: number;
}

/** While less than this share of the window is free, a compartment counts as stuck after `HASTE` of `slowMs`. */
const RESERVE = 1 / 8;
const HASTE = 1 / 5;
/** What stands at the end of a burst takes long, too. */
const LINE = 2;

/**
 * How much of a worker each compartment may hold: as much as is free, so that one that is stuck leaves half to the
 * others, and ten that are stuck leave each as much as they hold themselves. A compartment that moves, such as a burst
 * that is served, may hold more.
 *
 * Waiting costs memory alone, so the window is large; it bounds memory, and not what is done at once.
 */
export class Window {
  readonly #size: number;
  readonly #slowMs: number;
  readonly #clock: Clock;
  readonly #holdings = new Map<string, Holding>();
  /** What is held beside the compartments. */
  readonly #beside = newHolding();
  #inFlight = 0;
  #restartedAtMs = 0;

  /**
   * @param slowMs a compartment is stuck if none has ended for longer, or one took more than twice as long; if less than an
   *   eighth of the window is free, it is stuck if none has ended for a fifth of it
   */
  constructor(size: number, slowMs: number, clock: Clock) {
    this.#size = size;
    this.#slowMs = slowMs;
    this.#clock = clock;
  }

  get #free(): number {
    return this.#size - this.#inFlight;
  }

  /** By its clock. */
  now(): number {
    return this.#clock();
  }

  /** By the names of the compartments. */
  get holdings(): ReadonlyMap<string, Holding> {
    return this.#holdings;
  }

  /**
   * Each call that returns a holding is followed by one `leave` with it.
   *
   * @param compartment of a closed set of names
   * @returns undefined if the compartment holds its share, and is stuck
   */
  enter(compartment: string): Holding | undefined {
    let holding = this.#holdings.get(compartment);
    if (holding === undefined) this.#holdings.set(compartment, (holding = newHolding()));
    if (holding.inFlight === 0) {
      holding.movedAtMs = this.#clock();
    } else if (holding.inFlight >= this.#free && this.#isStuck(holding)) {
      return undefined;
    }
    return this.#hold(holding);
  }

  /**
   * For one that could not enter, but only waits for another one that did. As `enter` it is followed by one `leave`.
   *
   * @returns undefined if such ones hold as much as is free: in all compartments together, and whether they move or not
   */
  enterBeside(): Holding | undefined {
    return this.#beside.inFlight < this.#free ? this.#hold(this.#beside) : undefined;
  }

  /** Counts one that could not enter, and was refused. */
  overflow(compartment: string): void {
    const holding = this.#holdings.get(compartment);
    if (holding) holding.overflowed += 1;
  }

  /** What was held up until now was not held up by its compartment: none is stuck, and what it took counts from here. */
  restart(): void {
    this.#restartedAtMs = this.#clock();
    for (const holding of this.#holdings.values()) {
      holding.movedAtMs = this.#restartedAtMs;
      holding.tookMs = 0;
    }
  }

  /**
   * @param startedAtMs by the clock; `undefined` for one that did not wait for what its compartment waits for, and so does
   *   not show that this moves
   */
  leave(holding: Holding, startedAtMs: number | undefined): void {
    holding.inFlight -= 1;
    this.#inFlight -= 1;
    if (startedAtMs === undefined) return;
    holding.movedAtMs = this.#clock();
    holding.tookMs = holding.movedAtMs - Math.max(startedAtMs, this.#restartedAtMs);
  }

  #hold(holding: Holding): Holding {
    holding.inFlight += 1;
    this.#inFlight += 1;
    return holding;
  }

  #isStuck({ movedAtMs, tookMs }: Holding): boolean {
    const patienceMs = this.#free <= RESERVE * this.#size ? HASTE * this.#slowMs : this.#slowMs;
    return tookMs > LINE * this.#slowMs || this.#clock() - movedAtMs > patienceMs;
  }
}

function newHolding(): Holding {
  return { inFlight: 0, overflowed: 0, movedAtMs: 0, tookMs: 0 };
}
