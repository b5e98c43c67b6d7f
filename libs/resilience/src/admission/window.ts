import type { Clock } from '../clock.ts';
import { type Share, Shares } from './shares.ts';

/** What one compartment of a window holds. */
export interface Holding extends Share {
  /** Refused so far. */
  overflowed: number;
  /** When the last one ended, or the first of those in flight began. */
  movedAtMs: number;
  /** How long the last one took. */
  tookMs: number;
}

/** While less than this share of the window is free, a compartment counts as stuck after `HASTE` of `slowMs`. */
const RESERVE = 1 / 8;
const HASTE = 1 / 5;
/** The last commands of a burst also take long. */
const LINE = 2;

/**
 * How much of a worker each compartment may hold: as much as is free, so that a compartment that is stuck leaves half to the
 * others, and ten that are stuck leave each as much as they hold themselves. A compartment that moves, such as a burst
 * that is served, may hold more. The window bounds memory, and not what is done at once, so it is large.
 */
export class Window {
  readonly #shares: Shares;
  readonly #slowMs: number;
  readonly #clock: Clock;
  readonly #holdings = new Map<string, Holding>();
  /** What is held beside the compartments. */
  readonly #beside = newHolding();
  #restartedAtMs = 0;

  /**
   * @param slowMs a compartment is stuck if none has ended for longer, or one took more than twice as long; if less than an
   *   eighth of the window is free, it is stuck if none has ended for a fifth of it
   */
  constructor(size: number, slowMs: number, clock: Clock) {
    this.#shares = new Shares(size);
    this.#slowMs = slowMs;
    this.#clock = clock;
  }

  /** The time by its clock. */
  now(): number {
    return this.#clock();
  }

  /** What each compartment holds, by its name. */
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
    if (holding.inFlight === 0) holding.movedAtMs = this.#clock();
    else if (!this.#shares.hasRoomFor(holding) && this.#isStuck(holding)) return undefined;
    this.#shares.take(holding);
    return holding;
  }

  /**
   * For a repeat of a command, which only waits for the first one. As `enter` it is followed by one `leave`.
   *
   * @returns undefined if the repeats of all compartments hold as much as is free
   */
  enterBeside(): Holding | undefined {
    if (!this.#shares.hasRoomFor(this.#beside)) return undefined;
    this.#shares.take(this.#beside);
    return this.#beside;
  }

  /** Counts a command that could not enter, and was refused. */
  overflow(compartment: string): void {
    const holding = this.#holdings.get(compartment);
    if (holding) holding.overflowed += 1;
  }

  /** Something else held up all compartments until now: none is stuck, and what each took counts from here. */
  restart(): void {
    this.#restartedAtMs = this.#clock();
    for (const holding of this.#holdings.values()) {
      Object.assign(holding, { movedAtMs: this.#restartedAtMs, tookMs: 0 });
    }
  }

  /** @param startedAtMs by the clock; `undefined` for a repeat, which does not show that its compartment moves */
  leave(holding: Holding, startedAtMs: number | undefined): void {
    this.#shares.giveBack(holding);
    if (startedAtMs === undefined) return;
    holding.movedAtMs = this.#clock();
    holding.tookMs = holding.movedAtMs - Math.max(startedAtMs, this.#restartedAtMs);
  }

  #isStuck({ movedAtMs, tookMs }: Holding): boolean {
    const { free, size } = this.#shares;
    const patienceMs = free <= RESERVE * size ? HASTE * this.#slowMs : this.#slowMs;
    return tookMs > LINE * this.#slowMs || this.#clock() - movedAtMs > patienceMs;
  }
}

function newHolding(): Holding {
  return { inFlight: 0, overflowed: 0, movedAtMs: 0, tookMs: 0 };
}
