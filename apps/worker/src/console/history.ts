import { type Counts, type Figures, figuresBetween, outcomesBetween } from './counts.ts';

/** The time between two points of a plot. */
export const STEP_MS = 5_000;
/** An hour: people who are woken see how it began. */
const MAX_POINTS = 720;
/** A minute, for figures that are read rather than seen. */
const STEPS_OF_MINUTE = 12;

/** One step of the plots. */
interface Point {
  /** Its end, in seconds since the epoch. */
  readonly at: number;
  /** For each command type: answered a second, failed a second, p95 in milliseconds. */
  readonly types: readonly (readonly [rate: number, failed: number, p95Ms: number | null])[];
  /** At its end, for each lane. */
  readonly inFlight: readonly number[];
}

/** What became of commands lately. */
export interface LastMinute {
  /** Less than a minute after the start. */
  readonly seconds: number;
  /** By command type. */
  readonly types: ReadonlyMap<string, Figures>;
  /** Final replies of all types, by outcome. */
  readonly outcomes: ReadonlyMap<string, number>;
}

/** The last hour of a worker in steps of five seconds, made of the differences between its counters. */
export class History {
  /** Those that are plotted; the order of everything in a point. */
  readonly types: readonly string[];
  readonly #points: Point[] = [];
  /** The first is a minute old. */
  readonly #counts: Counts[] = [];

  constructor(types: readonly string[]) {
    this.types = types;
  }

  get points(): readonly Point[] {
    return this.#points;
  }

  get lastMinute(): LastMinute {
    const [before, after] = [this.#counts.at(0), this.#counts.at(-1)];
    if (!before || !after) return { seconds: 0, types: new Map(), outcomes: new Map() };
    const outcomes = new Map<string, number>();
    for (const type of after.types.keys()) {
      for (const [outcome, count] of outcomesBetween(before, after, type)) {
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count);
      }
    }
    return {
      seconds: (after.atMs - before.atMs) / 1000,
      types: new Map(this.types.map((type) => [type, figuresBetween(before, after, type)])),
      outcomes,
    };
  }

  /**
   * Adds a step, from the counters before to these.
   *
   * @param inFlight of each lane, always in the same order
   */
  add(counts: Counts, inFlight: readonly number[]): void {
    const before = this.#counts.at(-1);
    this.#counts.push(counts);
    if (this.#counts.length > STEPS_OF_MINUTE + 1) this.#counts.shift();
    if (!before) return;
    this.#points.push({
      at: Math.round(counts.atMs / 1000),
      types: this.types.map((type) => stepOf(figuresBetween(before, counts, type))),
      inFlight,
    });
    if (this.#points.length > MAX_POINTS) this.#points.shift();
  }
}

function stepOf({ perSecond, failedPerSecond, p95Ms }: Figures): [number, number, number | null] {
  return [rounded(perSecond), rounded(failedPerSecond), p95Ms === null ? null : rounded(p95Ms)];
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
