import { type Deadline, type Share, Shares } from '#resilience';

/** What became of a report that asked for a place. */
export type Turn = 'entered' | 'stuck' | 'expired';

interface Held extends Share {
  /** When a report of the compartment last left, or entered as the only one. */
  leftAtMs: number;
  /** When one last left or sent a page. */
  movedAtMs: number;
}

interface Report {
  readonly held: Held;
  readonly deadline: Deadline;
  readonly mayLeave: () => boolean;
}

/** A compartment that has not moved for longer is stuck; no platform that is well takes so long for a page. */
const PATIENCE_MS = 2_000;
const LOOK_MS = 250;
/** How much of the free places reports may take that wait for long reports to end. */
const CROWD = 1 / 2;

/**
 * The places of the reports of one worker. No compartment, which is one operation of one operator, holds more of them than
 * it leaves free. Beyond its share a report waits for its turn while reports of its compartment end. It is sent away if that
 * is stuck, or if many wait for reports that are long, so that it does not keep those behind it from being delivered.
 */
export class ReportPlaces {
  readonly #nowMs: () => number;
  readonly #shares: Shares;
  /** By compartment. */
  readonly #held = new Map<string, Held>();
  /** With what tells them their turns. */
  readonly #waiting = new Map<Report, (turn: Turn) => void>();
  #timer: NodeJS.Timeout | undefined;

  /** @param size reports that may be in flight; one compartment runs half of them */
  constructor(size: number, nowMs: () => number) {
    this.#shares = new Shares(size);
    this.#nowMs = nowMs;
  }

  /**
   * Each report that has `entered` ends with one `leave`.
   *
   * @param compartment of a closed set of names
   * @param mayLeave whether the report could wait elsewhere
   */
  enter(compartment: string, deadline: Deadline, mayLeave: () => boolean): Turn | Promise<Turn> {
    const held = this.#held.get(compartment) ?? { inFlight: 0, leftAtMs: 0, movedAtMs: 0 };
    this.#held.set(compartment, held);
    const report = { held, deadline, mayLeave };
    const turn = this.#turnOf(report);
    if (turn) return turn;
    return new Promise((settle) => {
      this.#waiting.set(report, settle);
      this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref();
    });
  }

  /** A report shows that its compartment is not stuck. */
  moved(compartment: string): void {
    const held = this.#held.get(compartment);
    if (held) held.movedAtMs = this.#nowMs();
  }

  leave(compartment: string): void {
    const held = this.#held.get(compartment);
    if (!held) return;
    this.#shares.giveBack(held);
    held.leftAtMs = held.movedAtMs = this.#nowMs();
    this.#look();
  }

  /** Tells each that waits, in their order, whether its turn has come. */
  #look(): void {
    for (const [report, settle] of this.#waiting) {
      const turn = this.#turnOf(report);
      if (turn && this.#waiting.delete(report)) settle(turn);
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Undefined if the report has to wait; one that has `entered` has its place. */
  #turnOf({ held, deadline, mayLeave }: Report): Turn | undefined {
    if (deadline.expired) return 'expired';
    if (!this.#shares.hasRoomFor(held)) return this.#isInTheWay(held) && mayLeave() ? 'stuck' : undefined;
    if (held.inFlight === 0) held.leftAtMs = held.movedAtMs = this.#nowMs();
    this.#shares.take(held);
    return 'entered';
  }

  /** Whether what waits for a compartment that holds its share keeps others from being delivered. */
  #isInTheWay({ inFlight, leftAtMs, movedAtMs }: Held): boolean {
    const sinceMs = this.#nowMs() - PATIENCE_MS;
    const isCrowded = leftAtMs < sinceMs && this.#waiting.size >= CROWD * this.#shares.free;
    return inFlight > 0 && (movedAtMs < sinceMs || isCrowded);
  }
}
