import type { Clock } from '../clock.ts';
import type { Admittance, Compartment } from './compartment.ts';
import type { Flow } from './line.ts';

/** A flow that had to wait below its share is owed the share for this many call times. */
const OWED_FOR = 2;

/**
 * Divides the connections among flows; a flow is the interactive calls of one operation for one caller.
 * Callers get equal shares, and each caller's operations get equal shares, as far as they need them.
 */
export class FairShares {
  /** Until this time, at least one flow is owed its share. */
  #owedUntilMs = 0;

  /** @param usable the maximum number of connections of one operation */
  constructor(
    private readonly usable: number,
    private readonly interactive: readonly Compartment[],
    private readonly clock: Clock,
  ) {}

  /** Records that a flow below its share had to wait or was refused. */
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

  /** Returns the number of concurrent calls that a flow may make if all flows use their full shares. */
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
