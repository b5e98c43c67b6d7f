import type { Deadline } from '../deadline.ts';
import { type Share, Shares } from './shares.ts';

/** A person waits for an interactive call; nobody waits for a background one. */
export type Priority = 'interactive' | 'background';

export type Admittance = 'admitted' | 'overloaded' | 'expired' | 'closed';

export interface AdmissionLimits {
  /** Calls in flight at once. */
  readonly connections: number;
  /** Calls that may wait for a connection. */
  readonly queue: number;
}

interface Waiter {
  readonly deadline: Deadline;
  readonly settle: (admittance: Admittance) => void;
}

/** Calls that are slow or stuck together, such as those of one operation. */
export interface Compartment extends Share {
  readonly priority: Priority;
  /** The latest deadline first; the next waiter is taken off the end. */
  readonly waiting: Waiter[];
}

/** How many times what is free an interactive share may hold: in the end three quarters of all connections. */
const WEIGHT = 3;

/**
 * Admits calls to a number of connections, queues a bounded number of further ones by their deadlines, and rejects the rest.
 * A compartment that is stuck leaves a quarter of the connections to the others, and two that are stuck a seventh.
 *
 * Interactive calls go first: they are admitted before any background call, they take the place of a waiting one if the
 * queue is full, and all background calls share half of the connections.
 */
export class Admission {
  readonly #shares: Shares;
  /** Interactive ones first. */
  #compartments: readonly Compartment[] = [];
  #isClosed = false;

  constructor(private readonly limits: AdmissionLimits) {
    this.#shares = new Shares(limits.connections);
  }

  /** Adds a compartment, for good. */
  add(priority: Priority): Compartment {
    const added: Compartment = { priority, inFlight: 0, waiting: [] };
    const all = this.#compartments;
    this.#compartments = priority === 'interactive' ? [added, ...all] : [...all, added];
    return added;
  }

  /** Each call that is `admitted` ends with one `leave` of the same compartment. */
  enter(compartment: Compartment, deadline: Deadline): Admittance | Promise<Admittance> {
    if (this.#isClosed) return 'closed';
    if (deadline.expired) return 'expired';
    if (this.#hasRoomFor(compartment)) return this.#admit(compartment);
    return this.#makeRoom(compartment) ? this.#wait(compartment, deadline) : 'overloaded';
  }

  leave(compartment: Compartment): void {
    this.#shares.giveBack(compartment);
    for (const next of this.#compartments) {
      while (next.waiting.length > 0 && this.#hasRoomFor(next))
        next.waiting.at(-1)?.settle(this.#admit(next));
    }
  }

  /** Rejects all calls that wait, and all later ones. */
  close(): void {
    this.#isClosed = true;
    for (const waiter of this.#compartments.flatMap(({ waiting }) => waiting)) waiter.settle('closed');
  }

  /** All background compartments together are one share. */
  #hasRoomFor(compartment: Compartment): boolean {
    if (compartment.priority === 'interactive') return this.#shares.hasRoomFor(compartment, WEIGHT);
    const background = this.#compartments.filter(({ priority }) => priority === 'background');
    return this.#shares.hasRoomFor({ inFlight: background.reduce((sum, each) => sum + each.inFlight, 0) });
  }

  #admit(compartment: Compartment): 'admitted' {
    this.#shares.take(compartment);
    return 'admitted';
  }

  #makeRoom({ priority }: Compartment): boolean {
    const waiting = this.#compartments.reduce((sum, each) => sum + each.waiting.length, 0);
    if (waiting < this.limits.queue) return true;
    if (priority === 'background') return false;
    const evicted = this.#compartments.find((other) => other.priority === 'background' && other.waiting[0]);
    evicted?.waiting[0]?.settle('overloaded');
    return evicted !== undefined;
  }

  #wait({ waiting }: Compartment, deadline: Deadline): Promise<Admittance> {
    const { promise, resolve } = Promise.withResolvers<Admittance>();
    const settle = (admittance: Admittance): void => {
      waiting.splice(waiting.lastIndexOf(waiter), 1);
      unsubscribe();
      resolve(admittance);
    };
    const waiter: Waiter = { deadline, settle };
    const unsubscribe = deadline.onExpired(() => settle('expired'));
    // A later call mostly has a later deadline, so its place is near the beginning.
    const index = waiting.findIndex((other) => other.deadline.atMs <= deadline.atMs);
    waiting.splice(index === -1 ? waiting.length : index, 0, waiter);
    return promise;
  }
}
