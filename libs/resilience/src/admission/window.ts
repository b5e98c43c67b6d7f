import type { Clock } from '../clock.ts';
import { type Holder, SharedCapacity } from './shared-capacity.ts';

/** What one compartment of a window holds. */
class Holding implements Holder {
  inFlight = 0;
  /** Refused so far. */
  overflowed = 0;
  /** When the last one ended, or the first of those in flight began. */
  movedAtMs = 0;
  /** How long the last one took. */
  tookMs = 0;
}

/** While less than this share of the window is free, a compartment counts as stuck after `HASTE` of `slowMs`. */
const RESERVE = 1 / 8;
const HASTE = 1 / 5;
/** The last commands of a burst also take long. */
const LINE = 2;

/**
 * How much of a worker each compartment that is stuck may hold: as much as is free, so that one leaves half to the others. A
 * compartment that moves, such as a burst that is served, may hold more. The window bounds memory, and not what is done at
 * once, so it is large.
 */
export class Window {
  readonly #capacity: SharedCapacity;
  /** What each compartment holds, by its name. */
  readonly holdings = new Map<string, Holding>();
  /** Repeats of commands whose compartments hold their shares. */
  readonly #beside = new Holding();
  #restartedAtMs = 0;

  /**
   * @param slowMs a compartment is stuck if none has ended for longer, or one took more than twice as long; if less than an
   *   eighth of the window is free, it is stuck if none has ended for a fifth of it
   */
  constructor(
    size: number,
    private readonly slowMs: number,
    private readonly clock: Clock,
  ) {
    this.#capacity = new SharedCapacity(size);
  }

  /**
   * Takes a place for a command, or for a repeat of one, which only waits for it: the repeats of compartments that are stuck
   * may together hold as much as is free.
   *
   * @returns gives the place back, once; undefined if the compartment holds its share, and is stuck
   */
  enter(compartment: string, isRepeat = false): (() => void) | undefined {
    let holding = this.holdings.get(compartment);
    if (holding === undefined) this.holdings.set(compartment, (holding = new Holding()));
    if (holding.inFlight === 0) holding.movedAtMs = this.clock();
    else if (!this.#capacity.hasRoomFor(holding) && this.#isStuck(holding)) {
      if (isRepeat && this.#capacity.hasRoomFor(this.#beside)) return this.#take(this.#beside, isRepeat);
      holding.overflowed += 1;
      return undefined;
    }
    return this.#take(holding, isRepeat);
  }

  /** Something else held up all compartments until now: none is stuck, and what each took counts from here. */
  restart(): void {
    const movedAtMs = (this.#restartedAtMs = this.clock());
    for (const holding of this.holdings.values()) Object.assign(holding, { movedAtMs, tookMs: 0 });
  }

  #take(holding: Holding, isRepeat: boolean): () => void {
    const startedAtMs = this.clock();
    this.#capacity.reserve(holding);
    return () => {
      this.#capacity.release(holding);
      // The end of a wait does not show that the compartment moves.
      if (isRepeat) return;
      holding.movedAtMs = this.clock();
      holding.tookMs = holding.movedAtMs - Math.max(startedAtMs, this.#restartedAtMs);
    };
  }

  #isStuck({ movedAtMs, tookMs }: Holding): boolean {
    const { free, size } = this.#capacity;
    const patienceMs = free <= RESERVE * size ? HASTE * this.slowMs : this.slowMs;
    return tookMs > LINE * this.slowMs || this.clock() - movedAtMs > patienceMs;
  }
}
