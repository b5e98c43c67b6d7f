import { CommandError } from '#contracts';
import { type Deadline, DeadlineExceeded, type Holder, SharedCapacity } from '#resilience';

import type { Step } from '../command/command.ts';
import { errorBodyOf, failureOf } from '../command/settlement.ts';
import type { Outbox } from '../replies/outbox.ts';
import { type PostponeOptions, STALL, waitFor } from './postpone.ts';
import { compartmentNameOf } from './share.ts';

export type Turn = 'entered' | 'stuck' | 'expired';

interface Held extends Holder {
  /** When a report of the compartment last ended, or entered as the only one. */
  leftAtMs: number;
  /** When a report of it last ended or sent a page. */
  movedAtMs: number;
}

/** A compartment that has not moved for longer is stuck; no platform that is well takes so long for a page. */
const PATIENCE_MS = 2_000;
const LOOK_MS = 250;
/** The share of the free places that may be taken by reports that wait for long ones to end. */
const CROWD = 1 / 2;
/** Reports whose queues took nothing share these places, so that they keep none from others. No compartment has that name. */
const STALLED = 'stalled';

/** Gives a report a place until it is settled, or has it wait in a retry queue if it would be in the way of others. */
export function reportShare(options: PostponeOptions, places: ReportPlaces, outbox: Outbox): Step {
  return async (command, next) => {
    const isStalled = command.replies.stalledSinceMs !== undefined;
    let compartment = isStalled ? STALLED : compartmentNameOf(command);
    const isPatient = !isStalled || outbox.waitLeftMs(command) <= 0;
    const turn = await places.enter(compartment, command.deadline, isPatient);
    if (turn === 'stuck')
      return waitFor(command, options, errorBodyOf(new CommandError('OVERLOADED'), command));
    if (turn === 'expired') throw new DeadlineExceeded();
    command.onStall = () => {
      if (compartment !== STALLED) places.move(compartment, STALLED);
      compartment = STALLED;
    };
    command.atEnd((end) => {
      command.onStall = undefined;
      places.leave(compartment, failureOf(end)?.code === STALL || end.kind !== 'postpone');
    });
    // Its connection may have gone while it waited.
    return command.delivery.isAlive ? next(command) : { kind: 'return', cause: undefined };
  };
}

/**
 * The places of the reports of one worker. No compartment, which is one operation of one operator, holds more of them than
 * it leaves free. Beyond its share a report waits for its turn while reports of its compartment end. It is sent away if that
 * is stuck, or if many wait for reports that are long, so that it does not keep those behind it from being delivered.
 */
export class ReportPlaces {
  readonly #nowMs: () => number;
  readonly #elsewhereMs: number;
  readonly #capacity: SharedCapacity;
  /** By compartment. */
  readonly #held = new Map<string, Held>();
  /** What ends each wait, with what its compartment holds. */
  readonly #waiting = new Map<(turn: Turn) => void, Held>();

  /**
   * @param size reports that may be in flight; one compartment runs half of them
   * @param elsewhereMs how long a report waits that is sent away; if its deadline is sooner, it keeps waiting here
   */
  constructor(size: number, elsewhereMs: number, nowMs: () => number) {
    this.#capacity = new SharedCapacity(size);
    this.#elsewhereMs = elsewhereMs;
    this.#nowMs = nowMs;
  }

  /**
   * Each report that has `entered` ends with one `leave`.
   *
   * @param compartment of a closed set of names
   * @param isPatient whether it may wait for its turn here; otherwise it is sent away at once
   */
  enter(compartment: string, deadline: Deadline, isPatient = true): Turn | Promise<Turn> {
    const held = this.#heldBy(compartment);
    if (this.#capacity.hasRoomFor(held)) return this.#take(held);
    const isStuck = (): boolean =>
      (!isPatient || this.#isInTheWay(held)) && deadline.remainingMs() > this.#elsewhereMs;
    if (isStuck()) return 'stuck';
    return new Promise((resolve) => {
      const end = (turn: Turn): void => {
        this.#waiting.delete(end);
        clearInterval(timer);
        unsubscribe();
        resolve(turn);
      };
      this.#waiting.set(end, held);
      const timer = setInterval(() => isStuck() && end('stuck'), LOOK_MS);
      const unsubscribe = deadline.onExpired(() => end('expired'));
    });
  }

  /** A report shows that its compartment is not stuck. */
  moved(compartment: string): void {
    const held = this.#held.get(compartment);
    if (held) held.movedAtMs = this.#nowMs();
  }

  /** @param hasMoved whether the report has ended, and not only given up its place */
  leave(compartment: string, hasMoved = true): void {
    const held = this.#held.get(compartment);
    if (!held) return;
    this.#capacity.release(held);
    if (hasMoved) held.leftAtMs = held.movedAtMs = this.#nowMs();
    for (const [end, waiting] of this.#waiting)
      if (this.#capacity.hasRoomFor(waiting)) end(this.#take(waiting));
  }

  /** Counts the place of a report to another compartment from now on, whose share it may exceed. */
  move(from: string, to: string): void {
    this.#take(this.#heldBy(to));
    this.leave(from);
  }

  #heldBy(compartment: string): Held {
    let held = this.#held.get(compartment);
    if (!held) this.#held.set(compartment, (held = { inFlight: 0, leftAtMs: 0, movedAtMs: 0 }));
    return held;
  }

  #take(held: Held): Turn {
    if (held.inFlight === 0) held.leftAtMs = held.movedAtMs = this.#nowMs();
    this.#capacity.reserve(held);
    return 'entered';
  }

  /** Whether what waits for a compartment that holds its share keeps others from being delivered. */
  #isInTheWay({ inFlight, leftAtMs, movedAtMs }: Held): boolean {
    const sinceMs = this.#nowMs() - PATIENCE_MS;
    const isCrowded = leftAtMs < sinceMs && this.#waiting.size >= CROWD * this.#capacity.free;
    return inFlight > 0 && (movedAtMs < sinceMs || isCrowded);
  }
}
