import type { Clock } from '../clock.ts';
import type { Admittance, Compartment } from './compartment.ts';
import type { Flow } from './line.ts';

/** A flow that had to wait with less than its share is owed it for so many times the time of a call. */
const OWED_FOR = 2;

/**
 * The share of the connections of each flow: the interactive calls of one operation for one caller. Callers have equal
 * shares, and so have the operations of a caller, as far as they need them.
 */
export class FairShares {
  /** Until then some flow is owed its share. */
  #owedUntilMs = 0;

  /** @param usable connections of one operation at most */
  constructor(
    private readonly usable: number,
    private readonly interactive: readonly Compartment[],
    private readonly clock: Clock,
  ) {}

  /** Remembers that a flow had to wait, or was refused, with less than its share. */
  owe(compartment: Compartment, flow: Flow<Admittance>): void {
    if (compartment.priority === 'background' || flow.inFlight >= this.of(compartment, flow)) return;
    flow.owedUntilMs = this.clock() + OWED_FOR * compartment.callMs;
    this.#owedUntilMs = Math.max(this.#owedUntilMs, flow.owedUntilMs);
  }

  /** True if a flow has its share, and another flow is owed part of its own. */
  isOwedByOthers(compartment: Compartment, flow: Flow<Admittance>): boolean {
    const nowMs = this.clock();
    if (nowMs >= this.#owedUntilMs || flow.inFlight < this.of(compartment, flow)) return false;
    for (const other of this.interactive) {
      for (const owed of other.line.flows()) {
        const isOwed = owed !== flow && owed.owedUntilMs > nowMs;
        if (isOwed && owed.inFlight < this.of(other, owed)) return true;
      }
    }
    return false;
  }

  /** Returns the calls that a flow may make at once if all flows make as many as they may. */
  of(compartment: Compartment, { caller }: Flow<Admittance>): number {
    const callers = new Set<string>();
    let operations = 0;
    let flows = 0;
    for (const other of this.interactive) {
      const { line } = other;
      for (const flow of line.flows()) {
        if (!line.isActive(flow)) continue;
        callers.add(flow.caller);
        if (other === compartment) flows += 1;
        if (flow.caller === caller) operations += 1;
      }
    }
    return Math.min(this.usable / callers.size / operations, compartment.limit.value / flows);
  }
}
