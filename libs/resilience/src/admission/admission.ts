import { type Clock, type Random, spread } from '../clock.ts';
import type { Deadline } from '../deadline.ts';
import { type Admittance, Compartment, type Overload, type Priority } from './compartment.ts';
import type { Ticket } from './concurrency-limit.ts';
import { FairShares } from './fair-shares.ts';
import type { Flow, Waiter } from './line.ts';
import { SharedCapacity } from './shared-capacity.ts';

export interface AdmissionLimits {
  /** Calls in flight at once. */
  readonly connections: number;
  /** Calls that may wait for a connection. */
  readonly queue: number;
}

/** How many times what is free an interactive operation may hold: in the end three quarters of all connections. */
const WEIGHT = 3;
/** While its calls end as usual: in the end fifteen sixteenths. */
const WEIGHT_MOVING = 15;
/** A caller that is refused is asked to wait for about a second, and longer the more calls there are for each that is served. */
const RETRY_AFTER_MS = 1_000;
const MAX_RETRY_AFTER_MS = 15_000;

/**
 * Admits calls to a number of connections, queues a bounded number of further ones by their deadlines, and rejects the rest.
 * Interactive calls go first. Callers have equal shares, and so have the operations of a caller, as far as they need them.
 * All background calls share half of the connections, and give up their places in a full queue.
 *
 * Under overload the answers of calls that all wait as long as they may would all be too late. So a line that stands is kept
 * short (`Line`), no more calls are made at once than make the platform serve more (`ConcurrencyLimit`), and a call is
 * refused at once if its answer would come too late (`CallTimes`).
 */
export class Admission {
  readonly #capacity: SharedCapacity;
  readonly #fairShares: FairShares;
  /** The latest one first. */
  readonly #interactive: Compartment[] = [];
  #background: readonly Compartment[] = [];
  #isClosed = false;

  constructor(
    private readonly limits: AdmissionLimits,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly timeOfDay: Clock = Date.now,
  ) {
    const { connections } = limits;
    this.#capacity = new SharedCapacity(connections);
    const usable = (connections * WEIGHT_MOVING) / (WEIGHT_MOVING + 1);
    this.#fairShares = new FairShares(usable, this.#interactive, clock);
  }

  /** Adds a compartment, for good. */
  add(priority: Priority): Compartment {
    const added = new Compartment(priority, this.limits.connections, this.clock, this.timeOfDay);
    if (priority === 'interactive') this.#interactive.unshift(added);
    else this.#background = [...this.#background, added];
    return added;
  }

  /** Each call that is `admitted` ends with one `leave` of the same compartment and caller. */
  enter(compartment: Compartment, deadline: Deadline, caller: string): Admittance | Promise<Admittance> {
    const { line } = compartment;
    if (this.#isClosed) return 'closed';
    if (deadline.expired) return 'expired';
    line.arrived();
    const flow = line.flowOf(caller);
    const overload =
      compartment.priority === 'interactive' ? this.#overloadOf(compartment, deadline, flow) : undefined;
    // A share that was owed until now may have become free.
    if (line.length > 0) this.#drain();
    if (overload === undefined && flow.waiting.length === 0 && this.#hasRoomFor(compartment, flow)) {
      return this.#admit(compartment, flow);
    }
    if (overload !== 'too-late') this.#fairShares.owe(compartment, flow);
    if (overload) {
      line.release(flow);
      return overload;
    }
    return this.#makeRoom(compartment) ? this.#wait(compartment, deadline, flow) : 'queue-full';
  }

  /** Begins an admitted call. */
  begin({ inFlight }: Compartment): Ticket {
    return { startedAtMs: this.clock(), startedAmong: inFlight, end: 'unknown' };
  }

  /**
   * Ends an admitted call.
   *
   * @param ticket undefined if it was not begun after all
   */
  leave(compartment: Compartment, caller: string, ticket?: Ticket): void {
    const { line, times, limit } = compartment;
    const flow = line.flowOf(caller);
    this.#capacity.release(compartment);
    flow.inFlight -= 1;
    line.release(flow);
    if (ticket) {
      const { startedAtMs, end } = ticket;
      const nowMs = this.clock();
      const isAnswered = end === 'answered';
      if (end !== 'unknown') {
        times.ended(nowMs - startedAtMs, isAnswered, nowMs - compartment.endedAtMs);
        limit.ended(ticket, compartment.inFlight);
      }
      compartment.movedAtMs = compartment.endedAtMs = nowMs;
      if (isAnswered) compartment.answeredAtMs = nowMs;
    }
    this.#drain();
  }

  /** True if the answer to a call that began now would come after its deadline, as far as recent calls tell. */
  isTooLate(compartment: Compartment, deadline: Deadline): boolean {
    const { times, inFlight, endedAtMs } = compartment;
    if (deadline.remainingMs() >= times.tellingMs) return false;
    // One call at a time finds out whether the platform has become faster.
    return inFlight > 1 || this.clock() - endedAtMs < times.tellingMs;
  }

  /** How long a refused caller should wait: random, so that the refused ones do not come back together. In milliseconds. */
  retryAfterMs(compartment: Compartment): number {
    const surplus = compartment.line.arrivalsPerSecond / Math.max(1, this.perSecond(compartment));
    const meanMs = Math.min(MAX_RETRY_AFTER_MS, RETRY_AFTER_MS * Math.max(1, surplus));
    return spread(meanMs, this.random);
  }

  /** Calls that the platform can answer in a second, as far as recent calls tell; Infinity if nothing is known. */
  perSecond(compartment: Compartment): number {
    const { inFlight, limit, callMs } = compartment;
    const others = this.#interactive.filter((other) => other !== compartment && other.inFlight > 0);
    const share = this.limits.connections / (others.length + 1);
    return (1000 * Math.max(inFlight, Math.min(limit.attainable, share))) / callMs;
  }

  /** Rejects all calls that wait, and all later ones. */
  close(): void {
    this.#isClosed = true;
    for (const { line } of this.#all) for (const waiter of line.all()) waiter.settle('closed');
  }

  #overloadOf(compartment: Compartment, deadline: Deadline, flow: Flow<Admittance>): Overload | undefined {
    const { line, times } = compartment;
    const remainingMs = deadline.remainingMs();
    if (line.length === 0 && !line.isStanding) {
      return this.isTooLate(compartment, deadline) ? 'too-late' : undefined;
    }
    const perSecond = this.perSecond(compartment);
    line.watch(perSecond, remainingMs);
    for (const waiter of line.excess(perSecond)) waiter.settle('standing-line');
    if (line.isFullFor(flow, perSecond)) return 'standing-line';
    const waitMs = (1000 * line.aheadOf(flow)) / perSecond;
    return waitMs + times.tellingMs > remainingMs ? 'too-late' : undefined;
  }

  /** All background compartments together are one share. */
  #hasRoomFor(compartment: Compartment, flow: Flow<Admittance>): boolean {
    if (compartment.priority === 'interactive') {
      if (!compartment.limit.allows(compartment.inFlight)) return false;
      if (this.#fairShares.isOwedByOthers(compartment, flow)) return false;
      return this.#capacity.hasRoomFor(compartment, compartment.isMoving ? WEIGHT_MOVING : WEIGHT);
    }
    const inFlight = this.#background.reduce((sum, each) => sum + each.inFlight, 0);
    return this.#capacity.hasRoomFor({ inFlight });
  }

  /** Interactive ones first. */
  get #all(): readonly Compartment[] {
    return [...this.#interactive, ...this.#background];
  }

  #admit(compartment: Compartment, flow: Flow<Admittance>): 'admitted' {
    if (compartment.inFlight === 0) compartment.movedAtMs = this.clock();
    this.#capacity.reserve(compartment);
    flow.inFlight += 1;
    return 'admitted';
  }

  #drain(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      next.waiter.settle(this.#admit(next.compartment, next.waiter.flow));
    }
  }

  /** Who is admitted next: of the flows with room, interactive before background, the one with the least of its share. */
  #next(): { compartment: Compartment; waiter: Waiter<Admittance> } | undefined {
    let best: { compartment: Compartment; waiter: Waiter<Admittance>; held: number } | undefined;
    for (const compartment of this.#all) {
      if (compartment.line.length === 0) continue;
      if (best && compartment.priority === 'background') break;
      for (const flow of compartment.line.flows()) {
        const waiter = flow.waiting.at(-1);
        if (!waiter || !this.#hasRoomFor(compartment, flow)) continue;
        const held = flow.inFlight / this.#fairShares.of(compartment, flow);
        if (!best || held < best.held) best = { compartment, waiter, held };
      }
    }
    return best;
  }

  #makeRoom({ priority }: Compartment): boolean {
    const waiting = this.#all.reduce((sum, { line }) => sum + line.length, 0);
    if (waiting < this.limits.queue) return true;
    if (priority === 'background') return false;
    const [evicted] = this.#background
      .flatMap(({ line }) => line.all())
      .toSorted((a, b) => b.deadline.atMs - a.deadline.atMs);
    evicted?.settle('queue-full');
    return evicted !== undefined;
  }

  #wait({ line }: Compartment, deadline: Deadline, flow: Flow<Admittance>): Promise<Admittance> {
    const { promise, resolve } = Promise.withResolvers<Admittance>();
    const settle = (admittance: Admittance): void => {
      line.remove(waiter);
      line.release(flow);
      unsubscribe();
      resolve(admittance);
    };
    const waiter: Waiter<Admittance> = { flow, deadline, settle };
    const unsubscribe = deadline.onExpired(() => settle('expired'));
    line.add(waiter);
    return promise;
  }
}
