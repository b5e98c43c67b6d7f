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

/**
 * An interactive operation may use this multiple of the free connections: at most three quarters of all
 * connections.
 */
const WEIGHT = 3;
/** The multiple while its calls end as usual: at most fifteen sixteenths of all connections. */
const WEIGHT_MOVING = 15;
/**
 * A refused caller should wait for about a second, and longer if several calls arrive for each call served.
 */
const RETRY_AFTER_MS = 1_000;
const MAX_RETRY_AFTER_MS = 15_000;

/**
 * Admits calls to a number of connections, queues a bounded number of further calls by deadline, and rejects
 * the rest. Interactive calls go first. Callers get equal shares, and each caller's operations get equal
 * shares, as far as they need them. All background calls share half of the connections, and give up their
 * places in a full queue.
 *
 * If all calls waited as long as allowed under overload, all their answers would be too late. Therefore a
 * standing line is kept short (`Line`), and concurrency is limited to what increases the throughput of the
 * platform (`ConcurrencyLimit`). A call is refused immediately if its answer would be too late (`CallTimes`).
 */
export class Admission {
  readonly #capacity: SharedCapacity;
  readonly #fairShares: FairShares;
  /** The most recently added compartment first. */
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

  /** Adds a compartment; it cannot be removed. */
  add(priority: Priority): Compartment {
    const added = new Compartment(priority, this.limits.connections, this.clock, this.timeOfDay);
    if (priority === 'interactive') this.#interactive.unshift(added);
    else this.#background = [...this.#background, added];
    return added;
  }

  /**
   * Admits, queues or refuses a call. Each `admitted` call must end with one `leave` of the same compartment
   * and caller.
   */
  enter(compartment: Compartment, deadline: Deadline, caller: string): Admittance | Promise<Admittance> {
    const { line } = compartment;
    if (this.#isClosed) return 'closed';
    if (deadline.expired) return 'expired';
    line.arrived();
    const flow = line.flowOf(caller);
    const overload =
      compartment.priority === 'interactive' ? this.#overloadOf(compartment, deadline, flow) : undefined;
    // A share that is no longer owed may have become available.
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
   * @param ticket undefined if the call was admitted but never begun
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

  /** True if recent calls suggest that the answer to a call begun now would arrive after its deadline. */
  isTooLate(compartment: Compartment, deadline: Deadline): boolean {
    const { times, inFlight, endedAtMs } = compartment;
    if (deadline.remainingMs() >= times.tellingMs) return false;
    // One call at a time probes whether the platform has become faster.
    return inFlight > 1 || this.clock() - endedAtMs < times.tellingMs;
  }

  /**
   * Milliseconds that a refused caller should wait; random, so that refused callers do not return all at
   * once.
   */
  retryAfterMs(compartment: Compartment): number {
    const surplus = compartment.line.arrivalsPerSecond / Math.max(1, this.perSecond(compartment));
    const meanMs = Math.min(MAX_RETRY_AFTER_MS, RETRY_AFTER_MS * Math.max(1, surplus));
    return spread(meanMs, this.random);
  }

  /**
   * Estimates from recent calls how many calls per second the platform can answer; Infinity if nothing is
   * known.
   */
  perSecond(compartment: Compartment): number {
    const { inFlight, limit, callMs } = compartment;
    const others = this.#interactive.filter((other) => other !== compartment && other.inFlight > 0);
    const share = this.limits.connections / (others.length + 1);
    return (1000 * Math.max(inFlight, Math.min(limit.attainable, share))) / callMs;
  }

  /** Rejects all waiting and all later calls. */
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
    for (const waiter of line.excess(perSecond, compartment.callMs)) waiter.settle('standing-line');
    if (line.isFullFor(flow, perSecond)) return 'standing-line';
    const waitMs = (1000 * line.aheadOf(flow)) / perSecond;
    return waitMs + times.tellingMs > remainingMs ? 'too-late' : undefined;
  }

  /** All background compartments share one limit. */
  #hasRoomFor(compartment: Compartment, flow: Flow<Admittance>): boolean {
    if (compartment.priority === 'interactive') {
      if (!compartment.limit.allows(compartment.inFlight)) return false;
      if (this.#fairShares.isOwedByOthers(compartment, flow)) return false;
      return this.#capacity.hasRoomFor(compartment, compartment.isMoving ? WEIGHT_MOVING : WEIGHT);
    }
    const inFlight = this.#background.reduce((sum, each) => sum + each.inFlight, 0);
    return this.#capacity.hasRoomFor({ inFlight });
  }

  /** All compartments, interactive ones first. */
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

  /**
   * Selects the next waiter to admit: interactive before background, then the flow that uses the least of its
   * share.
   */
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
    const waiter: Waiter<Admittance> = { flow, deadline, sinceMs: this.clock(), settle };
    const unsubscribe = deadline.onExpired(() => settle('expired'));
    line.add(waiter);
    return promise;
  }
}
