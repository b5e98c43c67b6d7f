import { Deadline } from '../deadline.ts';
import { Admission } from './admission.ts';
import type { Compartment } from './compartment.ts';

/** Answers a call by calling `done` after some time. */
export type SimulatedPlatform = (simulation: Simulation, done: () => void) => void;

export interface Load {
  readonly platform: SimulatedPlatform;
  /** Commands per second of each caller at a time in milliseconds. */
  readonly perSecond: (atMs: number) => Readonly<Record<string, number>>;
  readonly forMs: number;
  readonly connections?: number;
  /** The time budget of all commands, or of each caller. Default: 15 s. */
  readonly budgetMs?: number | Readonly<Record<string, number>>;
  readonly workers?: number;
  readonly seed?: number;
}

export interface SimulatedCommand {
  readonly caller: string;
  readonly atMs: number;
  readonly tookMs: number;
  /** `success`, `late` if the answer to a call missed the deadline, or the reason why no call was made. */
  readonly end: string;
}

interface Event {
  readonly atMs: number;
  readonly run: () => void;
  isCancelled: boolean;
}

const ATTEMPT_TIMEOUT_MS = 5_000;

/** Runs a load against admissions on a simulated clock. */
export class Simulation {
  nowMs = 0;
  /** A binary heap with the next event first. */
  readonly #events: Event[] = [];
  readonly #commands: SimulatedCommand[] = [];
  #random: number;

  constructor(private readonly load: Load) {
    this.#random = load.seed ?? 1;
  }

  readonly clock = (): number => this.nowMs;
  /** A linear congruential generator. */
  readonly random = (): number => {
    this.#random = (Math.imul(this.#random, 1_103_515_245) + 12_345) & 0x7fffffff;
    return this.#random / 0x80000000;
  };

  /** @returns a function that cancels the event */
  after(ms: number, run: () => void): () => void {
    const event: Event = { atMs: this.nowMs + ms, run, isCancelled: false };
    const events = this.#events;
    let index = events.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = events[parent];
      if (!above || above.atMs <= event.atMs) break;
      events[index] = above;
      index = parent;
    }
    events[index] = event;
    return () => void (event.isCancelled = true);
  }

  async run(): Promise<readonly SimulatedCommand[]> {
    const { connections = 256, workers = 1 } = this.load;
    const admissions = Array.from({ length: workers }, () => {
      const admission = new Admission({ connections, queue: 2048 }, this.clock, this.random, this.clock);
      return { admission, compartment: admission.add('interactive') };
    });
    let sent = 0;
    for (const caller of Object.keys(this.load.perSecond(0))) {
      const arrive = (): void => {
        const perSecond = this.load.perSecond(this.nowMs)[caller] ?? 0;
        const pauseMs = perSecond > 0 ? (-Math.log(1 - this.random()) * 1000) / perSecond : 50;
        this.after(pauseMs, () => {
          const worker = admissions[sent % workers];
          if (perSecond > 0 && worker) {
            sent += 1;
            void this.#send(caller, worker.admission, worker.compartment);
          }
          if (this.nowMs < this.load.forMs) arrive();
        });
      };
      arrive();
    }
    for (let event = this.#next(); event; event = this.#next()) {
      this.nowMs = event.atMs;
      if (event.isCancelled) continue;
      event.run();
      // Continuations of settled promises run before the next event.
      for (let turn = 0; turn < 4; turn += 1) await Promise.resolve();
    }
    return this.#commands;
  }

  async #send(caller: string, admission: Admission, compartment: Compartment): Promise<void> {
    const atMs = this.nowMs;
    const { budgetMs = 15_000 } = this.load;
    const ownBudgetMs = typeof budgetMs === 'number' ? budgetMs : (budgetMs[caller] ?? 15_000);
    const deadline = new SimulatedDeadline(atMs + ownBudgetMs, this);
    const ended = (end: string) => this.#commands.push({ caller, atMs, tookMs: this.nowMs - atMs, end });
    const admittance = await admission.enter(compartment, deadline, caller);
    if (admittance !== 'admitted') return void ended(admittance);
    if (admission.isTooLate(compartment, deadline)) {
      admission.leave(compartment, caller);
      return void ended('too-late');
    }
    const ticket = admission.begin(compartment);
    const isAnswered = await new Promise<boolean>((resolve) => {
      const timeoutMs = Math.min(ATTEMPT_TIMEOUT_MS, deadline.remainingMs());
      const cancel = this.after(timeoutMs, () => resolve(false));
      this.load.platform(this, () => {
        cancel();
        resolve(true);
      });
    });
    const tookMs = this.nowMs - ticket.startedAtMs;
    const isCutOff = tookMs >= ATTEMPT_TIMEOUT_MS || compartment.times.isOverdue(tookMs);
    if (isAnswered) ticket.end = 'answered';
    else if (isCutOff) ticket.end = 'cut-off';
    admission.leave(compartment, caller, ticket);
    ended(isAnswered ? 'success' : 'late');
  }

  #next(): Event | undefined {
    const events = this.#events;
    const [first] = events;
    const last = events.pop();
    if (!last || last === first) return last;
    let index = 0;
    for (;;) {
      const [left, right] = [events[2 * index + 1], events[2 * index + 2]];
      const isRight = left !== undefined && right !== undefined && right.atMs < left.atMs;
      const below = isRight ? right : left;
      if (!below || below.atMs >= last.atMs) break;
      events[index] = below;
      index = 2 * index + (isRight ? 2 : 1);
    }
    events[index] = last;
    return first;
  }
}

class SimulatedDeadline extends Deadline {
  constructor(
    atMs: number,
    private readonly simulation: Simulation,
  ) {
    super(atMs, simulation.nowMs, simulation.clock);
  }

  override onExpired(listener: () => void): () => void {
    return this.simulation.after(this.remainingMs(), listener);
  }
}

/** A platform whose call time does not depend on its load. */
export function fixedTime(ms: number | ((atMs: number) => number)): SimulatedPlatform {
  return (simulation, done) =>
    void simulation.after(typeof ms === 'number' ? ms : ms(simulation.nowMs), done);
}

/**
 * A platform with log-normal call times around a mean; one in a hundred takes three to four times as long.
 */
export function variableTime(meanMs: number): SimulatedPlatform {
  const sigma = 0.6;
  return (simulation, done) => {
    const [one, other] = [simulation.random(), simulation.random()];
    const normal = Math.sqrt(-2 * Math.log(1 - one)) * Math.cos(2 * Math.PI * other);
    simulation.after(meanMs * Math.exp(sigma * normal - sigma ** 2 / 2), done);
  };
}

/** A platform that serves calls one at a time, including those whose callers have given up. */
export function servesInLine(perSecond: number): SimulatedPlatform {
  let freeAtMs = 0;
  return (simulation, done) => {
    freeAtMs = Math.max(freeAtMs, simulation.nowMs) + 1000 / perSecond;
    simulation.after(freeAtMs - simulation.nowMs, done);
  };
}
