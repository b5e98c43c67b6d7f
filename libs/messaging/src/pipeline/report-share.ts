import { CommandError } from '#contracts';
import { type Deadline, DeadlineExceeded, type Holder, SharedCapacity } from '#resilience';

import type { Step } from '../command/command.ts';
import { errorBodyOf, failureOf } from '../command/settlement.ts';
import { stallLeftMs } from '../replies/reply-queues.ts';
import { type PostponeOptions, STALL, waitFor } from './postpone.ts';
import { compartmentOf } from './share.ts';

export type Turn = 'entered' | 'stuck' | 'expired';

interface Held extends Holder {
  /** When a report of the compartment last ended, or entered while no other was running. */
  leftAtMs: number;
  /** When a report of the compartment last ended or sent a page. */
  movedAtMs: number;
}

/** A compartment without progress for longer than this is stuck. A healthy platform returns a page sooner. */
const PATIENCE_MS = 2_000;
const CHECK_MS = 250;
/** The share of the free places that may be taken by reports waiting for long-running ones. */
const CROWD = 1 / 2;
/**
 * Reports whose reply queues accept nothing share this compartment, so that they take no places from others.
 * No operation has this name.
 */
const STALLED = 'stalled';

/**
 * Holds a place for a report until it is settled. If the report would block others, it waits in a retry queue
 * instead.
 */
export function reportShare(options: PostponeOptions, places: ReportPlaces): Step {
  return (next) => async (command) => {
    const isStalled = command.replies.stalledSinceMs !== undefined;
    let compartment = isStalled ? STALLED : compartmentOf(command);
    const isPatient = !isStalled || stallLeftMs(command, options.settings) <= 0;
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
    // The connection may have been lost while the report waited.
    return command.delivery.isAlive ? next(command) : { kind: 'return', cause: undefined };
  };
}

/**
 * The places of the reports in one worker. A compartment (one operation of one operator) never holds more
 * places than it leaves free. Beyond its share, a report waits while reports of its compartment keep ending.
 * It goes to a retry queue if the compartment is stuck, or if many reports wait for long-running ones, so
 * that it does not block the deliveries behind it.
 */
export class ReportPlaces {
  readonly #nowMs: () => number;
  readonly #elsewhereMs: number;
  readonly #capacity: SharedCapacity;
  /** By compartment. */
  readonly #held = new Map<string, Held>();
  /** The function that ends each wait, with the state of its compartment. */
  readonly #waiting = new Map<(turn: Turn) => void, Held>();

  /**
   * @param size maximum of reports in flight; one compartment runs at most half of them
   * @param elsewhereMs time that a report waits in a retry queue; with an earlier deadline, it keeps waiting
   *   here
   */
  constructor(size: number, elsewhereMs: number, nowMs: () => number) {
    this.#capacity = new SharedCapacity(size);
    this.#elsewhereMs = elsewhereMs;
    this.#nowMs = nowMs;
  }

  /**
   * Waits for a place. Each report that has `entered` must call `leave` once.
   *
   * @param compartment one of a closed set of names
   * @param isPatient false if the report goes to a retry queue instead of waiting here
   */
  enter(compartment: string, deadline: Deadline, isPatient = true): Turn | Promise<Turn> {
    const held = this.#heldBy(compartment);
    if (this.#capacity.hasRoomFor(held)) return this.#take(held);
    const isStuck = (waiting: number): boolean =>
      (!isPatient || this.#isInTheWay(held, waiting)) && deadline.remainingMs() > this.#elsewhereMs;
    if (isStuck(this.#waiting.size + 1)) return 'stuck';
    return new Promise((resolve) => {
      const end = (turn: Turn): void => {
        this.#waiting.delete(end);
        clearInterval(timer);
        unsubscribe();
        resolve(turn);
      };
      this.#waiting.set(end, held);
      const timer = setInterval(() => isStuck(this.#waiting.size) && end('stuck'), CHECK_MS);
      const unsubscribe = deadline.onExpired(() => end('expired'));
    });
  }

  /** Records progress of a report, which shows that its compartment is not stuck. */
  moved(compartment: string): void {
    const held = this.#held.get(compartment);
    if (held) held.movedAtMs = this.#nowMs();
  }

  /** @param hasMoved true if the report has ended; false if it only gives up its place */
  leave(compartment: string, hasMoved = true): void {
    const held = this.#held.get(compartment);
    if (!held) return;
    this.#capacity.release(held);
    if (hasMoved) held.leftAtMs = held.movedAtMs = this.#nowMs();
    for (const [end, waiting] of this.#waiting)
      if (this.#capacity.hasRoomFor(waiting)) end(this.#take(waiting));
  }

  /**
   * Counts the place of a report towards another compartment from now on, even beyond that compartment's
   * share.
   */
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

  /**
   * True if the reports that wait for this compartment block the delivery of other reports.
   *
   * @param waiting number of waiting reports, including the one in question
   */
  #isInTheWay({ inFlight, leftAtMs, movedAtMs }: Held, waiting: number): boolean {
    const sinceMs = this.#nowMs() - PATIENCE_MS;
    const isCrowded = leftAtMs < sinceMs && waiting >= CROWD * this.#capacity.free;
    return inFlight > 0 && (movedAtMs < sinceMs || isCrowded);
  }
}
