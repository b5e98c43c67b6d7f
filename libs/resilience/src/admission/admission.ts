import type { Deadline } from '../deadline.ts';

interface HasDeadline {
  readonly deadline: { readonly atMs: number };
}

/** A queue by deadline, the earliest first; equal ones in the order of their arrival. */
export class DeadlineQueue<T extends HasDeadline> {
  /** The latest deadline first, so that the next item is taken off the end. */
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  push(item: T): void {
    // A later item mostly has a later deadline, so its place is near the beginning.
    const index = this.#items.findIndex(({ deadline }) => deadline.atMs <= item.deadline.atMs);
    this.#items.splice(index === -1 ? this.#items.length : index, 0, item);
  }

  /** Takes the item with the earliest deadline. */
  shift(): T | undefined {
    return this.#items.pop();
  }

  /** Takes the item with the latest deadline. */
  pop(): T | undefined {
    return this.#items.shift();
  }

  remove(item: T): void {
    const index = this.#items.lastIndexOf(item);
    if (index !== -1) this.#items.splice(index, 1);
  }
}

/** A person waits for an interactive call; nobody waits for a background one. */
export type Priority = 'interactive' | 'background';

export type Admittance = 'admitted' | 'overloaded' | 'expired' | 'closed';

export interface AdmissionLimits {
  /** Calls in flight at once. */
  readonly connections: number;
  /** Calls that may wait. */
  readonly queue: number;
}

interface Waiter {
  readonly deadline: Deadline;
  readonly settle: (admittance: Admittance) => void;
}

/** Calls that are slow or stuck together, such as those of one operation, apart from all others. */
export interface Compartment {
  readonly priority: Priority;
  inFlight: number;
  readonly waiting: DeadlineQueue<Waiter>;
}

/** A compartment of interactive calls may hold three times as many connections as it leaves free: three quarters. */
const INTERACTIVE_WEIGHT = 3;

/**
 * Admits calls to a number of connections, queues a bounded number of further ones by their deadlines, and rejects the
 * rest.
 *
 * No compartment takes all connections: it may hold three times as many as are free, so that one that is stuck leaves a
 * quarter to the others, and two that are stuck a seventh.
 *
 * Interactive calls go first: they are admitted before any background call, they take the place of a waiting one if the
 * queue is full, and all background calls together hold as many connections as are free at most: half.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  /** Interactive ones first. */
  #compartments: readonly Compartment[] = [];
  #inFlight = 0;
  #background = 0;
  #waiting = 0;
  #isClosed = false;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Adds a compartment, for good. */
  add(priority: Priority): Compartment {
    const added: Compartment = { priority, inFlight: 0, waiting: new DeadlineQueue() };
    const isInteractive = priority === 'interactive';
    this.#compartments = isInteractive ? [added, ...this.#compartments] : [...this.#compartments, added];
    return added;
  }

  /** Each call that is `admitted` ends with one `leave` of the same compartment. */
  enter(compartment: Compartment, deadline: Deadline): Admittance | Promise<Admittance> {
    if (this.#isClosed) return 'closed';
    if (deadline.expired) return 'expired';
    if (this.#hasRoomFor(compartment)) {
      this.#count(compartment, 1);
      return 'admitted';
    }
    return this.#makeRoom(compartment) ? this.#wait(compartment, deadline) : 'overloaded';
  }

  leave(compartment: Compartment): void {
    this.#count(compartment, -1);
    if (this.#waiting > 0) this.#admitNext();
  }

  /** Rejects all calls that wait, and all later ones. */
  close(): void {
    this.#isClosed = true;
    for (const { waiting } of this.#compartments) {
      for (let waiter = waiting.shift(); waiter; waiter = waiting.shift()) waiter.settle('closed');
    }
  }

  #count(compartment: Compartment, calls: 1 | -1): void {
    compartment.inFlight += calls;
    this.#inFlight += calls;
    if (compartment.priority === 'background') this.#background += calls;
  }

  #hasRoomFor({ priority, inFlight }: Compartment): boolean {
    const free = this.#limits.connections - this.#inFlight;
    return priority === 'interactive' ? inFlight < INTERACTIVE_WEIGHT * free : this.#background < free;
  }

  #makeRoom({ priority }: Compartment): boolean {
    if (this.#waiting < this.#limits.queue) return true;
    if (priority === 'background') return false;
    const evicted = this.#compartments.find(
      (other) => other.priority === 'background' && other.waiting.size > 0,
    );
    evicted?.waiting.pop()?.settle('overloaded');
    return evicted !== undefined;
  }

  #wait({ waiting }: Compartment, deadline: Deadline): Promise<Admittance> {
    this.#waiting += 1;
    return new Promise((resolve) => {
      const waiter: Waiter = {
        deadline,
        settle: (admittance) => {
          this.#waiting -= 1;
          unsubscribe();
          resolve(admittance);
        },
      };
      waiting.push(waiter);
      const unsubscribe = deadline.onExpired(() => {
        waiting.remove(waiter);
        waiter.settle('expired');
      });
    });
  }

  #admitNext(): void {
    for (const compartment of this.#compartments) {
      while (compartment.waiting.size > 0 && this.#hasRoomFor(compartment)) {
        this.#count(compartment, 1);
        compartment.waiting.shift()?.settle('admitted');
      }
    }
  }
}
