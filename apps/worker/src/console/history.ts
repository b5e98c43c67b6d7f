import { type Counts, type Figures, figuresBetween } from './counts.ts';

/** How often the counters are read. */
export const STEP_MS = 5_000;
const MINUTE_MS = 60_000;
const STEPS_OF_MINUTE = MINUTE_MS / STEP_MS;
const MINUTES = 60;
/** A type fails as a whole from this share on, once so many have failed in a row of steps. */
const WHOLE_SHARE = 0.9;
const LEAST_FAILED = 5;

/** A run of failures of one type: it ends with a minute without one. */
interface Run {
  readonly sinceMs: number;
  readonly lastMs: number;
  readonly failed: number;
}

/** The recent outcomes of one type of command. */
export interface TypeHistory extends Figures {
  readonly type: string;
  /** Since when some have failed by no fault of their callers, milliseconds since the epoch. */
  readonly failingSinceMs: number | undefined;
  /** Since when nearly all have. */
  readonly deadSinceMs: number | undefined;
  /** Answered and failed in each minute of the last hour, the oldest first. */
  readonly hour: readonly (readonly [answered: number, failed: number])[];
}

/** The last hour of a worker, made of the differences between its counters. */
export class History {
  readonly #types: readonly string[];
  /** The first is a minute old. */
  readonly #counts: Counts[] = [];
  readonly #hours: ReadonlyMap<string, (readonly [answered: number, failed: number])[]>;
  readonly #some = new Map<string, Run>();
  readonly #whole = new Map<string, Run>();
  #minuteMs = 0;

  /** @param types those that are shown, in their order */
  constructor(types: readonly string[]) {
    this.#types = types;
    this.#hours = new Map(types.map((type) => [type, []]));
  }

  /** How long the last minute is: less after the start. */
  get seconds(): number {
    return ((this.#counts.at(-1)?.atMs ?? 0) - (this.#counts[0]?.atMs ?? 0)) / 1000;
  }

  get types(): readonly TypeHistory[] {
    const [before, after] = [this.#counts.at(0), this.#counts.at(-1)];
    if (!before || !after) return [];
    return this.#types.map((type) => {
      const whole = this.#whole.get(type);
      return {
        type,
        ...figuresBetween(before, after, type),
        failingSinceMs: this.#some.get(type)?.sinceMs,
        deadSinceMs: whole && whole.failed >= LEAST_FAILED ? whole.sinceMs : undefined,
        hour: this.#hours.get(type) ?? [],
      };
    });
  }

  /** Adds a step, from the counters before to these. */
  add(counts: Counts): void {
    const before = this.#counts.at(-1);
    this.#counts.push(counts);
    if (this.#counts.length > STEPS_OF_MINUTE + 1) this.#counts.shift();
    if (!before) return;
    const minuteMs = counts.atMs - (counts.atMs % MINUTE_MS);
    for (const [type, hour] of this.#hours) {
      const figures = figuresBetween(before, counts, type);
      const { answered, failed } = figures;
      const last = minuteMs === this.#minuteMs ? hour.pop() : undefined;
      hour.push([answered + (last?.[0] ?? 0), failed + (last?.[1] ?? 0)]);
      if (hour.length > MINUTES) hour.shift();
      this.#follow(type, figures, before.atMs, counts.atMs);
    }
    this.#minuteMs = minuteMs;
  }

  #follow(type: string, { answered, failed, refused }: Figures, fromMs: number, atMs: number): void {
    const others = answered - refused;
    if (others > 0 && failed < WHOLE_SHARE * others) this.#whole.delete(type);
    for (const runs of [this.#some, this.#whole]) {
      const run = runs.get(type);
      if (run && atMs - run.lastMs > MINUTE_MS) runs.delete(type);
      const isMet = failed > 0 && (runs === this.#some || failed >= WHOLE_SHARE * others);
      if (!isMet) continue;
      const { sinceMs = fromMs, failed: before = 0 } = runs.get(type) ?? {};
      runs.set(type, { sinceMs, lastMs: atMs, failed: before + failed });
    }
  }
}
