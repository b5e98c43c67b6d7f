import type { Clock } from '../clock.ts';
import { type Holder, SharedCapacity } from './shared-capacity.ts';

/** The commands of one compartment of a window. */
class Holding implements Holder {
  inFlight = 0;
  /** Number of commands refused so far. */
  overflowed = 0;
  /** When the last command ended, or the first of the commands in flight began. */
  movedAtMs = 0;
  /** Duration of the last command. */
  tookMs = 0;
}

/**
 * While less than this share of the window is free, a compartment counts as stuck after `HASTE` of `slowMs`.
 */
const RESERVE = 1 / 8;
const HASTE = 1 / 5;
/** A command may take this many times `slowMs`, because the last commands of a burst also take long. */
const LINE = 2;

/**
 * Limits each stuck compartment to the number of places that are free, so that one stuck compartment leaves
 * half of the worker to the others. A compartment that makes progress, such as a burst that is being served,
 * may use more. The window is large because it limits memory, not concurrency.
 */
export class Window {
  readonly #capacity: SharedCapacity;
  /** The commands of each compartment, by compartment name. */
  readonly holdings = new Map<string, Holding>();
  /** Repeats of commands whose compartments have used up their shares. */
  readonly #beside = new Holding();
  #restartedAtMs = 0;

  /**
   * @param slowMs a compartment is stuck if no command has ended for longer, or if one took more than twice
   *   as long. If less than an eighth of the window is free, a fifth of `slowMs` without an ended command is
   *   enough.
   */
  constructor(
    size: number,
    private readonly slowMs: number,
    private readonly clock: Clock,
  ) {
    this.#capacity = new SharedCapacity(size);
  }

  /**
   * Takes a place for a command, or for a repeat, which only waits for the first command. The repeats of all
   * stuck compartments together may use as many places as are free.
   *
   * @returns a function that releases the place, to be called once; undefined if the compartment is stuck and
   *   has used up its share
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

  /**
   * Restarts all measurements after something else blocked all compartments: none is stuck, and durations
   * count from now.
   */
  restart(): void {
    const movedAtMs = (this.#restartedAtMs = this.clock());
    for (const holding of this.holdings.values()) Object.assign(holding, { movedAtMs, tookMs: 0 });
  }

  #take(holding: Holding, isRepeat: boolean): () => void {
    const startedAtMs = this.clock();
    this.#capacity.reserve(holding);
    return () => {
      this.#capacity.release(holding);
      // The end of a wait does not show that the compartment makes progress.
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
