import type { Deadline } from '../deadline.ts';
import { DeadlineQueue } from './deadline-queue.ts';

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

/**
 * Admits as many calls as there are connections, queues a bounded number of further ones by their deadlines, and rejects
 * the rest.
 *
 * Interactive calls go first: they are admitted before any background call, they take the place of a waiting one if the
 * queue is full, and background calls hold half of the connections at most, so that slow ones leave room.
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

  /** Each call that is `admitted` ends with one `leave` of the same priority. */
  enter(priority: Priority, deadline: Deadline): Admittance | Promise<Admittance> {
    if (this.#isClosed) return 'closed';
    if (deadline.expired) return 'expired';
    if (this.#hasRoomFor(priority)) {
      this.#inFlight[priority] += 1;
      return 'admitted';
    }
    return this.#makeRoom(priority) ? this.#wait(priority, deadline) : 'overloaded';
  }

  leave(priority: Priority): void {
    this.#inFlight[priority] -= 1;
    this.#admitNext();
  }

  /** Rejects all calls that wait, and all later ones. */
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

  #makeRoom(priority: Priority): boolean {
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
          unsubscribe();
          resolve(admittance);
        },
      };
      queue.push(waiter);
      const unsubscribe = deadline.onExpired(() => {
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
