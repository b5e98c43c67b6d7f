import type { Deadline } from '../deadline.ts';
import { DeadlineQueue } from './deadline-queue.ts';

/** Somebody waits for an interactive call; nobody does for a background one. */
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

/**
 * Lets in as many calls as there are connections, holds a bounded number back in the order of their deadlines, and
 * turns the rest away.
 *
 * Interactive calls go first: they are let in before any background call, they take the place of a waiting one where
 * the queue is full, and background calls hold half of the connections at most, so that slow ones leave room.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #maxBackground: number;
  readonly #inFlight: Record<Priority, number> = { interactive: 0, background: 0 };
  readonly #waiting: Readonly<Record<Priority, DeadlineQueue<Waiter>>> = {
    interactive: new DeadlineQueue(),
    background: new DeadlineQueue(),
  };
  #isClosed = false;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
    this.#maxBackground = Math.max(1, Math.floor(limits.connections / 2));
  }

  get inFlight(): number {
    return this.#inFlight.interactive + this.#inFlight.background;
  }

  get waiting(): number {
    return this.#waiting.interactive.size + this.#waiting.background.size;
  }

  /** Each `admitted` is to be given back by one `leave` with the same priority. */
  enter(priority: Priority, deadline: Deadline): Admittance | Promise<Admittance> {
    if (this.#isClosed) return 'closed';
    if (deadline.expired) return 'expired';
    if (this.#hasRoomFor(priority)) {
      this.#inFlight[priority] += 1;
      return 'admitted';
    }
    return this.#makePlace(priority) ? this.#wait(priority, deadline) : 'overloaded';
  }

  leave(priority: Priority): void {
    this.#inFlight[priority] -= 1;
    this.#admitNext();
  }

  /** Turns away whoever waits, and whoever comes after. */
  close(): void {
    this.#isClosed = true;
    for (const queue of Object.values(this.#waiting)) {
      for (let waiter = queue.shift(); waiter; waiter = queue.shift()) waiter.settle('closed');
    }
  }

  #hasRoomFor(priority: Priority): boolean {
    if (this.inFlight >= this.#limits.connections) return false;
    return priority === 'interactive' || this.#inFlight.background < this.#maxBackground;
  }

  #makePlace(priority: Priority): boolean {
    if (this.waiting < this.#limits.queue) return true;
    const evicted = priority === 'interactive' ? this.#waiting.background.pop() : undefined;
    evicted?.settle('overloaded');
    return evicted !== undefined;
  }

  #wait(priority: Priority, deadline: Deadline): Promise<Admittance> {
    const queue = this.#waiting[priority];
    return new Promise((resolve) => {
      const waiter: Waiter = {
        deadline,
        settle: (admittance) => {
          takeBack();
          resolve(admittance);
        },
      };
      queue.push(waiter);
      const takeBack = deadline.onExpired(() => {
        queue.remove(waiter);
        resolve('expired');
      });
    });
  }

  #admitNext(): void {
    for (const priority of ['interactive', 'background'] as const) {
      while (this.#hasRoomFor(priority)) {
        const waiter = this.#waiting[priority].shift();
        if (waiter === undefined) break;
        this.#inFlight[priority] += 1;
        waiter.settle('admitted');
      }
    }
  }
}
