import type { Clock } from '../clock.ts';
import type { Deadline } from '../deadline.ts';

/** A standing line is kept so short that it is served within this time. */
const SHORT_MS = 500;
/**
 * A line begins to stand after this time without being empty, and stops standing after it has been empty for
 * as long.
 */
const PATIENCE_MS = 1_500;
/**
 * A call that has waited for longer is served, because its refusal would come late, unless it cannot be
 * served before its deadline.
 */
const REFUSED_WITHIN_MS = 750;
/** Arrivals of the last second are counted in four slots; the fifth is the current slot. */
const SLOT_MS = 250;
const SLOTS = 5;

/** A waiting call. */
export interface Waiter<Ended> {
  readonly flow: Flow<Ended>;
  readonly deadline: Deadline;
  readonly sinceMs: number;
  readonly settle: (ended: Ended) => void;
}

/** The calls of one operation for one caller. */
export interface Flow<Ended> {
  readonly caller: string;
  inFlight: number;
  /** Sorted with the latest deadline first; the next waiter is taken from the end. */
  readonly waiting: Waiter<Ended>[];
  /** When the latest waiter was added. */
  addedAtMs: number;
  /** Until this time, the flow is owed its share of the concurrent calls, because it had to wait below it. */
  owedUntilMs: number;
}

/**
 * The waiting calls of one operation. A line that empties is harmless, however long it is: it was a burst. A
 * line stands if it has not been empty for 1.5 seconds and, at the current rates of arrival and service,
 * would not empty within the deadline of the latest arrival. A standing line is kept short, because a longer
 * one would only make all calls wait. It stops standing after it has been empty for 1.5 seconds.
 */
export class Line<Ended> {
  length = 0;
  isStanding = false;
  readonly #flows = new Map<string, Flow<Ended>>();
  readonly #arrivals = Array.from({ length: SLOTS }, () => 0);
  #slot: number;
  /** When an arriving call last found the line empty, and when one last found calls in it. */
  #emptyAtMs: number;
  #occupiedAtMs = 0;

  constructor(private readonly clock: Clock) {
    this.#emptyAtMs = clock();
    this.#slot = Math.floor(this.#emptyAtMs / SLOT_MS);
  }

  /** Calls that arrived in the last second, without the current slot. */
  get arrivalsPerSecond(): number {
    this.#advance();
    const present = this.#arrivals[this.#slot % SLOTS] ?? 0;
    return this.#arrivals.reduce((sum, count) => sum + count, -present);
  }

  /** Counts an arriving call, whether it waits or not. */
  arrived(): void {
    this.#advance();
    const slot = this.#slot % SLOTS;
    this.#arrivals[slot] = (this.#arrivals[slot] ?? 0) + 1;
    if (this.length === 0) this.#emptyAtMs = this.clock();
  }

  /** The flows that have calls in flight or in line, or are owed calls. */
  flows(): Iterable<Flow<Ended>> {
    return this.#flows.values();
  }

  flowOf(caller: string): Flow<Ended> {
    const known = this.#flows.get(caller);
    if (known) return known;
    const flow: Flow<Ended> = { caller, inFlight: 0, waiting: [], addedAtMs: 0, owedUntilMs: 0 };
    this.#flows.set(caller, flow);
    return flow;
  }

  /** True if a flow has calls in flight or in line, or is owed some. */
  isActive({ inFlight, waiting, owedUntilMs }: Flow<Ended>): boolean {
    return inFlight > 0 || waiting.length > 0 || owedUntilMs > this.clock();
  }

  /** Forgets a flow that is not active. */
  release(flow: Flow<Ended>): void {
    if (!this.isActive(flow)) this.#flows.delete(flow.caller);
  }

  /** Returns the number of calls served before the next call of a flow if the flows take turns. */
  aheadOf({ waiting }: Flow<Ended>): number {
    let flows = waiting.length === 0 ? 1 : 0;
    for (const other of this.#flows.values()) if (other.waiting.length > 0) flows += 1;
    return Math.min(this.length, waiting.length * flows);
  }

  /** Updates `isStanding`. @param perSecond calls currently served per second */
  watch(perSecond: number, remainingMs: number): void {
    const nowMs = this.clock();
    if (this.length > 0) this.#occupiedAtMs = nowMs;
    const shrinksBy = perSecond - this.arrivalsPerSecond;
    if (nowMs - this.#occupiedAtMs > PATIENCE_MS && shrinksBy > 0) this.isStanding = false;
    if (this.isStanding || nowMs - this.#emptyAtMs < PATIENCE_MS) return;
    const isLong = this.length > shortOf(perSecond);
    this.isStanding = isLong && shrinksBy * (remainingMs / 1000) < this.length;
  }

  /**
   * True if another call of a flow would exceed the length allowed for a standing line. A flow that is owed
   * calls may use the whole line.
   */
  isFullFor(flow: Flow<Ended>, perSecond: number): boolean {
    if (!this.isStanding) return false;
    const isOwed = flow.owedUntilMs > this.clock();
    return (isOwed ? flow.waiting.length : this.aheadOf(flow)) >= shortOf(perSecond);
  }

  /**
   * Removes and returns the latest calls of a standing line that has become too long, from the longest flows
   * first. Calls that have waited for a while remain if they can be served before their deadlines.
   *
   * @param callMs the expected duration of a call
   */
  excess(perSecond: number, callMs: number): readonly Waiter<Ended>[] {
    const excess: Waiter<Ended>[] = [];
    const most = Math.ceil(shortOf(perSecond));
    if (!this.isStanding || this.length <= 2 * most) return excess;
    const nowMs = this.clock();
    while (this.length > most) {
      let latest: Waiter<Ended> | undefined;
      for (const flow of this.#flows.values()) {
        const { waiting } = flow;
        if (waiting.length <= (latest?.flow.waiting.length ?? 0)) continue;
        const lastServedInMs = (1000 * this.aheadOf(flow)) / perSecond;
        // Usually the line is not searched, because even the earliest deadline leaves time for all calls.
        const leastMs = waiting.at(-1)?.deadline.remainingMs() ?? 0;
        const areInTime = leastMs >= callMs + lastServedInMs;
        if (areInTime && nowMs - flow.addedAtMs >= REFUSED_WITHIN_MS) continue;
        const isLate = (deadline: Deadline, index: number): boolean =>
          deadline.remainingMs() < callMs + lastServedInMs * (1 - index / waiting.length);
        const isRefused = ({ sinceMs, deadline }: Waiter<Ended>, index: number): boolean =>
          nowMs - sinceMs < REFUSED_WITHIN_MS || (!areInTime && isLate(deadline, index));
        latest = waiting.find(isRefused) ?? latest;
      }
      if (!latest) break;
      this.remove(latest);
      excess.push(latest);
    }
    return excess;
  }

  add(waiter: Waiter<Ended>): void {
    const { waiting } = waiter.flow;
    // A later call usually has a later deadline, so its place is near the beginning.
    const index = waiting.findIndex((other) => other.deadline.atMs <= waiter.deadline.atMs);
    waiting.splice(index === -1 ? waiting.length : index, 0, waiter);
    this.length += 1;
    waiter.flow.addedAtMs = waiter.sinceMs;
  }

  /** Removes a waiter if it is still in the line. */
  remove(waiter: Waiter<Ended>): void {
    const { waiting } = waiter.flow;
    const index = waiting.lastIndexOf(waiter);
    if (index === -1) return;
    waiting.splice(index, 1);
    this.length -= 1;
  }

  all(): readonly Waiter<Ended>[] {
    return [...this.#flows.values()].flatMap(({ waiting }) => waiting);
  }

  #advance(): void {
    if (this.clock() < (this.#slot + 1) * SLOT_MS) return;
    const slot = Math.floor(this.clock() / SLOT_MS);
    for (let left = Math.min(slot - this.#slot, SLOTS); left > 0; left -= 1) {
      this.#slot += 1;
      this.#arrivals[this.#slot % SLOTS] = 0;
    }
    this.#slot = slot;
  }
}

function shortOf(perSecond: number): number {
  return (perSecond * SHORT_MS) / 1000;
}
